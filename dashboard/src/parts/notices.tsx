import type { JSX } from "preact";

import { type Notice, type Page, usePage, useText } from "../page-context.ts";

let lastId = 0;

/** Shows a message, or replaces an earlier one. */
export function announce(page: Page, notice: Omit<Notice, "id">, replacedId?: number): number {
  const id = replacedId ?? ++lastId;
  const others = page.notices.value.filter((other) => other.id !== id);
  page.notices.value = [...others, { ...notice, id }];
  return id;
}

/** Messages on what the reader has asked for; they stay until they are dismissed. */
export function Notices(): JSX.Element {
  const { notices } = usePage();
  const text = useText();
  const dismiss = (id: number): void => {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  };
  return (
    <div class="notices" role="status" aria-live="polite">
      {notices.value.map((notice) => (
        <div key={notice.id} class={`notice ${notice.tone}`}>
          <span>{notice.text}</span>
          {notice.tone !== "progress" && (
            <button type="button" class="quiet" onClick={() => dismiss(notice.id)}>
              {text.dismiss}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}
