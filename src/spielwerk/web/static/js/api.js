// Requests, and the one message for all of them that wait for compilation.

import { memory, toast } from "./dom.js";
import { language, t } from "./i18n.js";

export class Refused extends Error {
  constructor(status, detail) { super(detail); this.status = status; }
}

// `proof`: a header with the token of a seat or a job.
async function request(method, path, body, proof = {}) {
  const headers = { "accept-language": language, ...proof };
  const looks = memory.looks();
  if (looks) headers["x-looks"] = looks;
  if (body !== undefined) headers["content-type"] = "application/json";
  let note = null;
  const slow = setTimeout(async () => {
    const { preparing = [] } = await fetch("/api/status", { headers }).then((answer) => answer.json()).catch(() => ({}));
    if (preparing.length && note === null) note = toast(t("preparing", { game: preparing.join(", ") }), "", 0);
  }, 900);
  try {
    const answer = await fetch(path, { method, headers, body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body) });
    if (!answer.ok) {
      const problem = await answer.json().catch(() => ({ detail: answer.statusText }));
      const detail = typeof problem.detail === "string" ? problem.detail : problem.detail?.[0]?.loc ? t("bad-input", { field: problem.detail[0].loc.slice(1).join(" ") }) : t("went-wrong");
      throw new Refused(answer.status, detail);
    }
    return await answer.json();
  } finally {
    clearTimeout(slow);
    note?.remove();
    note = undefined;
  }
}

export const get = (path) => request("GET", path);
export const post = (path, body = {}, proof = {}) => request("POST", path, body, proof);

// What the server allows; pages wait until it has said so (`known`), or everything is allowed.
export const server = { any_agent: true, largest: Infinity };
export const known = get("/api/status").then((status) => Object.assign(server, status), () => server);

export const reason = (problem) => (problem instanceof Refused ? problem.message : t("went-wrong"));

export function complain(problem) {
  toast(reason(problem), "bad", 6);
  if (!(problem instanceof Refused)) console.warn(problem);
}

// Start a match and remember its seats; returns the answer of the server.
export async function start(path, body) {
  const started = await post(path, body);
  memory.keep(started.match, { tokens: started.tokens, invitations: started.invitations, control: started.control });
  return started;
}
