import type { JSX } from "preact";
import { useState } from "preact/hooks";

import { usePage, useText } from "../page-context.ts";
import { ConfirmDialog } from "../parts/confirm-dialog.tsx";
import { announce } from "../parts/notices.tsx";
import { carryOut, type JobAction } from "../rest/job-actions.ts";
import type { Catalogue } from "../text/english.ts";
import { errorMessage } from "../text/error-message.ts";

type Kind = JobAction["kind"];

const KINDS: readonly Kind[] = ["checkpoint", "savepoint", "stop", "cancel"];
/** States in which a job takes no order any more. */
const OVER = new Set(["FINISHED", "CANCELED", "FAILED", "CANCELLING", "SUSPENDED"]);

/** The buttons that change a job. Each asks first. */
export function JobActions({
  jobId,
  state,
}: {
  readonly jobId: string;
  readonly state: string;
}): JSX.Element {
  const page = usePage();
  const text = useText();
  const [asked, setAsked] = useState<Kind | undefined>(undefined);
  const carry = async (action: JobAction): Promise<void> => {
    const what = nameOf(text, action.kind);
    const id = announce(page, { tone: "progress", text: text.requested(what) });
    try {
      const end = await carryOut(page.client, jobId, action, () =>
        announce(page, { tone: "progress", text: text.running(what) }, id),
      );
      const isDone = end.kind === "done";
      const message = isDone ? text.done(what, end.location) : text.refused(what, end.reason);
      announce(page, { tone: isDone ? "good" : "bad", text: message }, id);
    } catch (error) {
      const reason = errorMessage(error);
      announce(page, { tone: "bad", text: text.refused(what, reason) }, id);
    }
    page.changes.value++;
  };
  return (
    <div class="actions" role="group" aria-label={text.actions}>
      {KINDS.map((kind) => (
        <button
          key={kind}
          type="button"
          class={kind === "cancel" ? "danger-outline" : ""}
          data-test={`action-${kind}`}
          disabled={OVER.has(state)}
          onClick={() => setAsked(kind)}
        >
          {nameOf(text, kind)}
        </button>
      ))}
      {asked !== undefined && (
        <ActionDialog
          kind={asked}
          onAction={(action) => void carry(action)}
          onClose={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}

function nameOf(text: Catalogue, kind: Kind): string {
  const names: Readonly<Record<Kind, string>> = {
    checkpoint: text.checkpointNow,
    savepoint: text.savepoint,
    stop: text.stop,
    cancel: text.cancel,
  };
  return names[kind];
}

interface ActionDialogProps {
  readonly kind: Kind;
  readonly onAction: (action: JobAction) => void;
  readonly onClose: () => void;
}

function ActionDialog({ kind, onAction, onClose }: ActionDialogProps): JSX.Element {
  const text = useText();
  const [targetDirectory, setTargetDirectory] = useState("");
  const [drain, setDrain] = useState(false);
  const [format, setFormat] = useState<"CANONICAL" | "NATIVE">("CANONICAL");
  const words: Readonly<
    Record<Kind, readonly [title: string, explanation: string, confirm: string]>
  > = {
    checkpoint: [text.checkpointConfirm, "", text.doCheckpoint],
    savepoint: [text.savepointConfirm, text.savepointText, text.doSavepoint],
    stop: [text.stopConfirm, text.stopText, text.doStop],
    cancel: [text.cancelConfirm, text.cancelText, text.doCancel],
  };
  const [title, explanation, confirm] = words[kind];
  const takesSnapshot = kind === "savepoint" || kind === "stop";
  return (
    <ConfirmDialog
      title={title}
      confirm={confirm}
      tone={kind === "cancel" ? "danger" : "primary"}
      onConfirm={() =>
        onAction(actionOf(kind, { targetDirectory: targetDirectory.trim(), format, drain }))
      }
      onClose={onClose}
    >
      {explanation !== "" && <p>{explanation}</p>}
      {takesSnapshot && (
        <>
          <label class="field">
            {text.targetDirectory}
            <input
              type="text"
              value={targetDirectory}
              data-test="target-directory"
              onInput={(event) => setTargetDirectory(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            {text.format}
            <select
              value={format}
              onChange={(event) =>
                setFormat(event.currentTarget.value === "NATIVE" ? "NATIVE" : "CANONICAL")
              }
            >
              <option value="CANONICAL">{text.formatCanonical}</option>
              <option value="NATIVE">{text.formatNative}</option>
            </select>
          </label>
        </>
      )}
      {kind === "stop" && (
        <label class="check">
          <input
            type="checkbox"
            checked={drain}
            data-test="drain"
            onChange={(event) => setDrain(event.currentTarget.checked)}
          />
          <span>{text.drain}</span>
        </label>
      )}
    </ConfirmDialog>
  );
}

type SnapshotChoice = Omit<Extract<JobAction, { kind: "stop" }>, "kind">;

function actionOf(kind: Kind, { targetDirectory, format, drain }: SnapshotChoice): JobAction {
  if (kind === "savepoint") return { kind, targetDirectory, format };
  if (kind === "stop") return { kind, targetDirectory, format, drain };
  return { kind };
}
