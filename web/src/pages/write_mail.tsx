import { useState } from "preact/hooks";

import { send } from "../api/client";
import { bytes } from "../format";
import { Dialog } from "../parts/dialog";
import { say } from "../parts/toast";

interface Attachment {
  fileName: string;
  contentType: string;
  content: string;
  size: number;
}

function split(addresses: string): string[] {
  return addresses.split(/[,;\n]/).map((address) => address.trim()).filter((address) => address !== "");
}

async function read(file: File): Promise<Attachment> {
  const data = new Uint8Array(await file.arrayBuffer());
  let binary = "";
  for (let at = 0; at < data.length; at += 0x8000) {
    binary += String.fromCharCode(...data.subarray(at, at + 0x8000));
  }
  return { fileName: file.name, contentType: file.type === "" ? "application/octet-stream" : file.type, content: btoa(binary), size: file.size };
}

export function WriteDialog({ close, done }: { close: () => void; done: () => void }) {
  const [to, setTo] = useState("");
  const [cc, setCc] = useState("");
  const [subject, setSubject] = useState("");
  const [documentType, setDocumentType] = useState("letter");
  const [text, setText] = useState("");
  const [attachments, setAttachments] = useState<Attachment[]>([]);
  return (
    <Dialog
      title="Write a letter"
      action="Send it"
      wide
      ready={to.trim() !== "" && subject.trim() !== "" && text.trim() !== ""}
      close={close}
      act={async () => {
        const made = await send<{ id: number; status: string }>("POST", "/api/emails", {
          to: split(to),
          ...(cc.trim() === "" ? {} : { cc: split(cc) }),
          subject: subject.trim(),
          documentType: documentType.trim(),
          text,
          attachments: attachments.map(({ fileName, contentType, content }) => ({ fileName, contentType, content })),
        });
        say(`Letter ${made.id} is stored, and will be sent.`);
        done();
      }}
    >
      <p class="soft">It is stored first and sent then, again and again where that is needed: a provider that is away loses nothing.</p>
      <div class="two">
        <label class="field">
          <span>To <span class="hint">several, with commas</span></span>
          <input class="input" name="to" required value={to} autoComplete="off" onInput={(event) => setTo(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Copy to</span>
          <input class="input" name="cc" value={cc} autoComplete="off" onInput={(event) => setCc(event.currentTarget.value)} />
        </label>
      </div>
      <div class="two">
        <label class="field">
          <span>Subject</span>
          <input class="input" name="subject" required value={subject} autoComplete="off" onInput={(event) => setSubject(event.currentTarget.value)} />
        </label>
        <label class="field">
          <span>Kind of document <span class="hint">one of email.documentTypes</span></span>
          <input class="input" name="documentType" required value={documentType} autoComplete="off" onInput={(event) => setDocumentType(event.currentTarget.value)} />
        </label>
      </div>
      <label class="field">
        <span>Text</span>
        <textarea class="textarea" name="text" required rows={7} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <label class="field">
        <span>Attachments</span>
        <input
          class="files"
          type="file"
          name="attachments"
          multiple
          onChange={(event) => {
            void Promise.all([...(event.currentTarget.files ?? [])].map(read)).then(setAttachments);
          }}
        />
        {attachments.length === 0 ? null : <span class="hint">{attachments.map((one) => `${one.fileName}, ${bytes(one.size)}`).join("; ")}</span>}
      </label>
    </Dialog>
  );
}
