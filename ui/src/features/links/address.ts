/**
 * Where a link leads, in parts, and what about it could deceive. Pure.
 *
 * An address comes as `safeLink` has it, so as the browser will read it: hosts in lower case and, where they have
 * letters beyond ASCII, in punycode; what hides in a path is percent-encoded.
 */

/** In order, `before`, `host` and `after` are the whole address. */
export type Address = {
  before: string;
  /** Of mail the recipients; else with the port, if there is one. */
  host: string;
  after: string;
  isMail: boolean;
  /** What stands before the host's "@", and is no part of where it leads; empty where there is none. */
  user: string;
  /** The host has letters beyond ASCII. */
  isInternational: boolean;
};

export function addressOf(url: string): Address {
  const mail = /^(mailto:)([^?#]*)(.*)$/s.exec(url);
  if (mail) {
    const [, before = "", host = "", after = ""] = mail;
    return { before, host, after, isMail: true, user: "", isInternational: isInternational(host) };
  }
  const [, scheme = "", authority = "", after = ""] = /^([^/]*\/\/)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const at = authority.lastIndexOf("@") + 1;
  const host = authority.slice(at);
  const user = authority.slice(0, Math.max(0, at - 1));
  return {
    before: scheme + authority.slice(0, at),
    host,
    after,
    isMail: false,
    user,
    isInternational: isInternational(host),
  };
}

const isInternational = (host: string) => /(?:^|[.@])xn--|[^\p{ASCII}]/iu.test(decoded(host));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const hidden = /[\p{Cf}\p{Cc}]/gu;
const withScheme = /\b[a-z][a-z0-9+.-]*:\/\/[^\s<>"']+/i;
const mailbox = /^(?:mailto:)?([^\s@:/]+@[^\s@/]+\.[^\s@/]+)$/i;
const bare = /^(?:www\.)?(?:[\p{L}\p{N}_-]+\.)+(\p{L}{2,})(?::\d+)?(?:[/?#]\S*)?$/iu;
const siteEndings =
  /^(?:app|biz|blog|cloud|com|dev|edu|gov|info|int|mil|mobi|name|net|online|org|page|shop|site|tech|xyz|\p{L}{2})$/iu;
/** Of files more often than of sites. */
const fileEndings = /^(?:cc|cs|el|ex|go|hs|jl|js|kt|md|mk|ml|mm|pl|ps|py|rb|rs|sh|so|tf|ts|vb)$/i;
/** Of a link's text: an address that deceives has to be seen. */
const readChars = 400;

/**
 * The host (of mail, the mailbox) that a link's text names, if it looks like an address at all and isn't the one that
 * the link leads to. A text that names a site may lead to a part of it: "github.com" to docs.github.com.
 */
export function otherAddressIn(text: string, { host, isMail }: Address): string | null {
  const words = text.replace(hidden, "").trim().slice(0, readChars);
  const mail = mailbox.exec(words)?.[1];
  if (mail !== undefined) {
    const recipients = decoded(host).toLowerCase().split(",");
    return isMail && recipients.includes(mail.toLowerCase()) ? null : mail;
  }
  const named = namedHost(words);
  if (named === null) return null;
  const [there, here] = [withoutWww(host), withoutWww(named)];
  return !isMail && (there === here || there.endsWith(`.${here}`)) ? null : named;
}

function namedHost(words: string): string | null {
  const full = withScheme.exec(words)?.[0];
  if (full !== undefined) return hostOf(full);
  const ending = bare.exec(words)?.[1];
  if (ending === undefined) return null;
  const isSite = /^www\./i.test(words) || (siteEndings.test(ending) && !fileEndings.test(ending));
  return isSite ? hostOf(`http://${words}`) : null;
}

function hostOf(url: string): string | null {
  try {
    return new URL(url).host.toLowerCase() || null;
  } catch {
    return null;
  }
}

const withoutWww = (host: string) => host.replace(/^www\./, "");
