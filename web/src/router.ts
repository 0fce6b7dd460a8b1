import { useEffect, useState } from "preact/hooks";

/// Where the reader is: the path's pieces, and the query, which holds filters so that a link keeps them.
export interface Place {
  path: string[];
  query: URLSearchParams;
}

function here(): Place {
  const path = location.pathname.split("/").filter((piece) => piece !== "").map(decodePiece);
  return { path, query: new URLSearchParams(location.search) };
}

function decodePiece(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}

const moved = new EventTarget();

export function go(address: string, how: "push" | "replace" = "push"): void {
  if (how === "push") {
    history.pushState(null, "", address);
  } else {
    history.replaceState(null, "", address);
  }
  moved.dispatchEvent(new Event("moved"));
}

/// The address with some of its query changed; an empty value leaves a name out.
export function withQuery(changes: Record<string, string>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === "") {
      query.delete(name);
    } else {
      query.set(name, value);
    }
  }
  const text = query.toString();
  return location.pathname + (text === "" ? "" : "?" + text);
}

export function usePlace(): Place {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const look = () => setPlace(here());
    moved.addEventListener("moved", look);
    addEventListener("popstate", look);
    return () => {
      moved.removeEventListener("moved", look);
      removeEventListener("popstate", look);
    };
  }, []);
  return place;
}

/// Makes every plain click on a link of ours a move within the console.
export function followLinks(): void {
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.origin !== location.origin ||
        link.hasAttribute("download") || link.pathname.startsWith("/api/")) {
      return;
    }
    if (link.hash !== "" && link.pathname === location.pathname) {
      return;
    }
    event.preventDefault();
    go(link.pathname + link.search);
    scrollTo(0, 0);
  });
}
