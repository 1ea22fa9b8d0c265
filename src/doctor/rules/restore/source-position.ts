import type { Clue, Facts } from "../../analysis/facts.ts";

/** What source systems say when a position is no longer there. */
export const POSITION_GONE: readonly Clue[] = [
  {
    text: /requested WAL segment \S+ has already been removed|replication slot .*(?:has been invalidated|is invalidated|does not exist|can no longer)|can no longer get changes from replication slot|cannot read from logical replication slot/u,
    confidence: 0.95,
  },
  {
    text: /(?:no longer|not) available on the server|GTIDs? needed to replicate have been already purged|has purged (?:required )?binary logs|purged binary logs containing GTIDs|Could not find first log file name in binary log index|[Bb]inlog (?:has been|was|is) (?:purged|expired|no longer)|errno ?=? ?1236|error code ?= ?1236/u,
    confidence: 0.95,
  },
  {
    text: /[Rr]esume (?:of change stream|token).*(?:not possible|not found|no longer)|ChangeStreamHistoryLost|the resume point may no longer be in the oplog|oplog.*no longer/u,
    confidence: 0.95,
  },
  {
    text: /ORA-01291|ORA-00308|ORA-01292|missing logfile|(?:SCN|scn) \d+ (?:is )?(?:not found|no longer)|None of (?:the )?log files? contains? (?:offset )?(?:SCN|scn)|archive log.*(?:deleted|purged|no longer)/u,
    confidence: 0.95,
  },
  {
    text: /OffsetOutOfRangeException|[Ff]etch position .* is out of range|Offsets? out of range with no configured reset policy|ExpiredIteratorException|TrimmedDataAccess|position .* has been trimmed|LSN .*(?:no longer|not) (?:available|found)|change tracking .*(?:cleaned|expired)|TruncatedException|start cursor .* (?:no longer|expired)/u,
    confidence: 0.92,
  },
];

const REQUIRED = /GTID set (\S+) required by the connector/u;
const PURGED = /(?:already )?purged (\S+?) GTIDs?/u;

/**
 * Tells a position that is really gone from one that was stored incompletely.
 *
 * @remarks
 * A GTID set that begins above 1 although the connector has read everything from its beginning lacks the first
 * interval; the server then counts what the set lacks as needed, and purged. If what was purged ends just below what is
 * required, nothing that is required is gone.
 */
export function positionGone(facts: Facts): "purged" | "incomplete" {
  if (
    facts.has(
      /binlog (?:starting at|file|position)[^\n]*(?:filename|file)[ =:]*["']?(?:,|\s|$|["'])|starting at \{[^}]*file=,/u,
    )
  )
    return "incomplete";
  for (const statement of facts.statements) {
    const required = REQUIRED.exec(statement.text)?.[1];
    if (required === undefined) continue;
    const firsts = intervals(required);
    const purgedText = facts.statements
      .map((other) => PURGED.exec(other.text)?.[1])
      .find((text) => text !== undefined);
    const purged = intervals(purgedText ?? "");
    for (const [server, interval] of firsts) {
      const gone = purged.get(server);
      if (interval.from > 1 && gone !== undefined && gone.to < interval.from) return "incomplete";
      if (interval.from > 1 && gone === undefined) return "incomplete";
    }
  }
  return "purged";
}

function intervals(text: string): ReadonlyMap<string, { from: number; to: number }> {
  const found = new Map<string, { from: number; to: number }>();
  for (const match of text.matchAll(/([0-9a-f-]{36}):(\d+)(?:-(\d+))?/giu)) {
    found.set((match[1] ?? "").toLowerCase(), {
      from: Number(match[2]),
      to: Number(match[3] ?? match[2]),
    });
  }
  return found;
}
