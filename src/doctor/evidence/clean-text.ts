/** Terminal escapes: CSI, OSC, and two-character ones. */
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-_])/gu;

/** Control characters that a log has no use for; the tab stays. */
// oxlint-disable-next-line no-control-regex
const CONTROLS =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** Takes out whatever a terminal would obey: forged log lines must not move the reader's cursor. */
export function cleanText(text: string): string {
  return text.replace(ESCAPES, "").replace(CONTROLS, "");
}

const SECRET_KEY =
  /((?:password|passwd|secret|access[-_.]?key|private[-_.]?key|token|credential|api[-_.]?key|sasl\.jaas\.config)[\w.-]*["']?\s*(?:[:=,]|\s)\s*)("[^"]*"|'[^']*'|\S+)/giu;
const URL_CREDENTIALS = /(\b[a-z][\w+.-]*:\/\/)[^/\s:@]+:[^/\s@]+@/giu;
const AWS_KEY_ID = /\b(?:AKIA|ASIA)[A-Z0-9]{12,20}\b/gu;
const SIGNED_URL =
  /([?&](?:X-Amz-Signature|X-Amz-Credential|Signature|sig|AWSAccessKeyId|access_token)=)[^&\s"']+/giu;

/** Replaces what looks like a secret, for anything that is shown or written. */
export function maskSecrets(text: string): string {
  return text
    .replace(URL_CREDENTIALS, "$1******@")
    .replace(AWS_KEY_ID, "******")
    .replace(SIGNED_URL, "$1******");
}

/** True if the value of this configuration key must not be shown. */
export function isSecretKey(key: string): boolean {
  return /password|passwd|secret|access-?key|private-?key|token(?!s\.enabled)|credential|api-?key|jaas/iu.test(
    key,
  );
}

/** Masks `key = secret` pairs inside running text. */
export function maskSecretPairs(text: string): string {
  return maskSecrets(text).replace(SECRET_KEY, (_all, head: string) => `${head}******`);
}

/** Text as it may be shown anywhere: nothing a terminal obeys, no secret. */
export function shownText(text: string): string {
  return maskSecretPairs(cleanText(text));
}

/** The same for a path, address or command, in which a word like `token` is part of a name and begins no pair. */
export function shownPath(text: string): string {
  return maskSecrets(cleanText(text));
}
