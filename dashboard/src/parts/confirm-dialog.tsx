import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

import { useText } from "../page-context.ts";

interface ConfirmDialogProps {
  readonly title: string;
  readonly confirm: string;
  readonly tone: "primary" | "danger";
  readonly children?: ComponentChildren;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

/** Asks before something is done. The browser keeps the focus inside, and Escape leaves everything as it is. */
export function ConfirmDialog(props: ConfirmDialogProps): JSX.Element {
  const text = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={titleId} onClose={props.onClose}>
      <form
        method="dialog"
        onSubmit={() => {
          props.onConfirm();
        }}
      >
        <h2 id={titleId}>{props.title}</h2>
        {props.children}
        <div class="dialog-buttons">
          <button type="button" onClick={() => dialog.current?.close()}>
            {text.keep}
          </button>
          <button type="submit" class={props.tone} data-test="confirm">
            {props.confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
