// Requests, and the one message for all of them that wait for compilation.

import { memory, toast } from "./dom.js";
import { language, t } from "./i18n.js";

export class Refused extends Error {
  constructor(status, detail) { super(detail); this.status = status; }
}

// The token of who runs the server. It comes with the address that the server printed, and stays until the tab is closed.
const brought = /^#admin=(.+)$/.exec(location.hash);
if (brought) {
  sessionStorage.setItem("spielwerk.admin", decodeURIComponent(brought[1]));
  history.replaceState(null, "", location.pathname);
}
export const admin = () => sessionStorage.getItem("spielwerk.admin");

// `proof`: a header with the token of a seat or a job; `signal`: of who may lose interest.
async function request(method, path, body, proof = {}, signal = null) {
  const headers = { "accept-language": language, ...(admin() ? { "x-admin-token": admin() } : {}), ...proof };
  const looks = memory.looks();
  if (looks) headers["x-looks"] = looks;
  if (body !== undefined) headers["content-type"] = "application/json";
  let note = null;
  const slow = setTimeout(async () => {
    const { preparing = [] } = await fetch("/api/status", { headers }).then((answer) => answer.json()).catch(() => ({}));
    if (preparing.length && note === null) note = toast(t("preparing", { game: preparing.join(", ") }), "", 0);
  }, 900);
  try {
    const answer = await fetch(path, { method, headers, signal, body: body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body) });
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

export const get = (path, proof = {}, signal = null) => request("GET", path, undefined, proof, signal);
export const post = (path, body = {}, proof = {}, signal = null) => request("POST", path, body, proof, signal);

// What the server allows; pages wait until it has said so (`known`), or everything is allowed.
export const server = { any_agent: true, largest: Infinity, job_matches: Infinity, job_seconds: null, in_charge: false };
export const known = get("/api/status").then((status) => {
  if (!status.in_charge) sessionStorage.removeItem("spielwerk.admin"); // of another server, or of this one before it ended
  return Object.assign(server, status);
}, () => server);

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
