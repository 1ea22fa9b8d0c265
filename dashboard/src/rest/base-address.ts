export type BaseAddress =
  | { readonly kind: "accepted"; readonly href: string }
  /** It names another server. */
  | { readonly kind: "refused"; readonly given: string };

/**
 * Resolves an address that came with the page's own address, such as `?rest=`.
 *
 * @remarks
 * Only paths of the same server are taken: a link must not make the page send actions, or a token, elsewhere.
 *
 * @param given - What the page was asked for; null stands for the page's own folder.
 */
export function resolveAddress(
  given: string | null,
  pageHref: string,
  isFolder: boolean,
): BaseAddress {
  const page = new URL(pageHref);
  let url: URL;
  try {
    url = new URL(given ?? ".", page);
  } catch {
    return { kind: "refused", given: given ?? "" };
  }
  if (url.origin !== page.origin) return { kind: "refused", given: given ?? "" };
  url.hash = "";
  if (isFolder) {
    url.search = "";
    if (!url.pathname.endsWith("/")) url.pathname += "/";
  }
  return { kind: "accepted", href: url.href };
}
