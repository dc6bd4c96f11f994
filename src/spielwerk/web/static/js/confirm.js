// A question before something that cannot be undone.

import { h } from "./dom.js";
import { t } from "./i18n.js";

// Asks `text`; `yes` is what the button says that does it. Escape and a click beside the question mean no.
export function confirmed(text, yes) {
  return new Promise((answer) => {
    const dialog = h("dialog", { class: "question", role: "alertdialog", "aria-labelledby": "question-text", onclick: (event) => event.target === dialog && dialog.close() },
      h("form", { method: "dialog" }, h("h2", { id: "question-text" }, text), h("div", { class: "buttons" },
        h("button", { class: "button main", value: "yes", "data-do": "yes" }, yes),
        h("button", { class: "button plain", value: "no", "data-do": "no", autofocus: true }, t("cancel")))));
    dialog.addEventListener("close", () => { dialog.remove(); answer(dialog.returnValue === "yes"); });
    document.body.append(dialog);
    dialog.showModal();
  });
}
