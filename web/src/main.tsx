import { render } from "preact";

import { App } from "./app";
import { followLinks } from "./router";

import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/rail.css";
import "./style/event.css";
import "./style/pages.css";

const root = document.getElementById("app");
if (root !== null) {
  followLinks();
  render(<App />, root);
}
