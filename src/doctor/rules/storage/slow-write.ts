import type { Facts } from "../../analysis/facts.ts";
import { expiryOf } from "../../analysis/expiry.ts";
import { durationText, sizeText } from "../../analysis/quantities.ts";
import { type EvidenceLine, type Finding, line, measured, options } from "../rule.ts";

/** Below this rate the storage is slow, whatever the size. */
const SLOW_BYTES_PER_MS = 2000;
const LARGE_BYTES = 64 * 1024 * 1024;
/** So much is a reason by itself, where nothing speaks for another one. */
const HUGE_BYTES = 5 * 1024 ** 3;

/**
 * Decides between a state that is too large and a storage that is too slow, for checkpoints whose asynchronous part
 * does not end in time.
 *
 * @remarks
 * The barrier has passed (what comes after the missing subtasks acknowledged), or a late acknowledgement shows a long
 * asynchronous part, or completed checkpoints spend their time there. If both size and time grew from one checkpoint to
 * the next, the size is the cause; if a small state takes long, the rate is.
 */
export function slowWrite(
  facts: Facts,
  code: "checkpoint-timeout-large-state" | "checkpoint-timeout-slow-upload",
): Finding | undefined {
  const expiry = expiryOf(facts);
  if (!expiry.expired) return undefined;
  const slow = expiry.slowest;
  const byAsync =
    slow !== undefined &&
    slow.kind === "async" &&
    slow.ms >= Math.min(1000, (facts.timeoutMs ?? 4000) / 4) &&
    slow.ms >= 0.4 * Math.max(slow.subtask.durationMs ?? slow.ms, 1);
  const byBarrier =
    expiry.barrierPassed &&
    facts.hasExpired &&
    !expiry.stacks.some(
      (candidate) =>
        candidate.kind !== "idle" && candidate.kind !== "other" && candidate.kind !== "user-call",
    );
  const growth = growthOf(facts);
  const sync = slow?.kind === "sync" && slow.ms > 1000;
  const huge =
    (expiry.stateBytes ?? 0) >= HUGE_BYTES &&
    expiry.bottleneck === undefined &&
    facts.hasExpired &&
    !facts.evidence.rest.backpressure.some((level) => level.level === "high");
  if ((!byAsync && !byBarrier && growth === undefined && !huge) || sync) return undefined;

  const bytes = Math.max(
    slow?.subtask.stateBytes ?? 0,
    expiry.stateBytes ?? 0,
    growth?.lastBytes ?? 0,
  );
  const ms = byAsync
    ? Math.max(slow?.ms ?? 1, expiry.latestAckMs ?? 0)
    : (expiry.latestAckMs ?? facts.timeoutMs ?? growth?.lastMs ?? 600_000);
  const rate = bytes / Math.max(ms, 1);
  const grew = growth !== undefined && growth.factor >= 3;
  const large =
    grew || (bytes >= LARGE_BYTES && rate >= SLOW_BYTES_PER_MS) || bytes >= 10 * LARGE_BYTES;
  const mine = large === (code === "checkpoint-timeout-large-state");
  const sure = byAsync || (byBarrier && bytes > 0) ? 0.88 : growth !== undefined ? 0.82 : 0.7;
  const evidence = evidenceOf(facts, growth, byAsync, byBarrier);
  const missing = expiry.missing[0];
  const wanted = durationText(Math.max(ms * 2, (facts.timeoutMs ?? 0) * 2));
  return measured(
    code,
    mine ? sure : 0.5,
    evidence,
    {
      operator: slow?.vertexName ?? missing?.vertexName,
      stateBytes: bytes === 0 ? undefined : bytes,
      bytesPerSecond: bytes === 0 ? undefined : Math.round(rate * 1000),
    },
    options(
      facts,
      ["execution.checkpointing.incremental", "true"],
      ["execution.checkpointing.timeout", wanted],
      "state.backend.rocksdb.checkpoint.transfer.thread.num",
    ),
  );
}

/** The lines that show where the time went. */
function evidenceOf(
  facts: Facts,
  growth: Growth | undefined,
  byAsync: boolean,
  byBarrier: boolean,
): readonly EvidenceLine[] {
  const slow = expiryOf(facts).slowest;
  const missing = expiryOf(facts).missing[0];
  const evidence: EvidenceLine[] = [];
  if (byAsync && slow !== undefined) {
    evidence.push(
      line(
        slow.line,
        `subtask ${slow.subtask.index} of ${slow.vertexName ?? slow.vertexId ?? "?"}: asynchronous part ${slow.ms} ms for ${sizeText(slow.subtask.stateBytes ?? 0)}`,
        `${slow.vertexName ?? slow.vertexId ?? "?"} 的子任务 ${slow.subtask.index}：异步阶段 ${slow.ms} 毫秒，写 ${sizeText(slow.subtask.stateBytes ?? 0)}`,
      ),
    );
  }
  if (byBarrier && missing !== undefined) {
    const place = facts.evidence.rest.subtasks.find(
      (answer) => answer.vertexId === missing.vertexId,
    )?.place ?? { file: "", line: 0 };
    evidence.push(
      line(
        place,
        `${missing.vertexName ?? missing.vertexId} did not acknowledge, what comes after it did: the barrier had passed`,
        `${missing.vertexName ?? missing.vertexId} 没有确认，而其下游已确认：屏障已通过`,
      ),
    );
  }
  if (growth !== undefined)
    evidence.push(
      line(
        growth.place,
        `state grew from ${sizeText(growth.firstBytes)} to ${sizeText(growth.lastBytes)}`,
        `状态从 ${sizeText(growth.firstBytes)} 增长到 ${sizeText(growth.lastBytes)}`,
      ),
    );
  return evidence;
}

interface Growth {
  readonly factor: number;
  readonly firstBytes: number;
  readonly lastBytes: number;
  readonly lastMs: number;
  readonly place: { readonly file: string; readonly line: number };
}

/** Completed checkpoints before the first failure that grew in size and in time. */
function growthOf(facts: Facts): Growth | undefined {
  if (!facts.hasExpired) return undefined;
  const sized = facts.completedCheckpoints.filter(
    (life) => life.sizeBytes !== undefined && life.durationMs !== undefined,
  );
  const first = sized[0];
  const last = sized.at(-1);
  if (sized.length < 2 || first === undefined || last === undefined) return undefined;
  const firstBytes = first.sizeBytes ?? 1;
  const lastBytes = last.sizeBytes ?? 1;
  const firstMs = first.durationMs ?? 1;
  const lastMs = last.durationMs ?? 1;
  if (
    lastBytes < firstBytes * 2 ||
    lastMs < firstMs * 2 ||
    lastBytes < 1_000_000 ||
    lastMs < 0.2 * (facts.timeoutMs ?? 0)
  )
    return undefined;
  return {
    factor: lastBytes / Math.max(firstBytes, 1),
    firstBytes,
    lastBytes,
    lastMs,
    place: last.place,
  };
}
