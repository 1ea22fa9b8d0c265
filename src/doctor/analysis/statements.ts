import type { Evidence, LogEvent, Place, ThrownError } from "../evidence/evidence.ts";

/**
 * What a record has to do with a failure.
 *
 * - `checkpoint`: a checkpoint failed or was declined, with its reason.
 * - `task`, `job`: a task, job or process failed.
 * - `restore`: state could not be restored, or the job not started.
 * - `report`: text without a log record around it; somebody chose to show it.
 * - `trouble`: a warning or error of Flink or a library.
 * - `note`: a record without alarm.
 * - `foreign`: what the user's own classes log.
 */
export type Role =
  | "checkpoint"
  | "task"
  | "job"
  | "restore"
  | "report"
  | "trouble"
  | "note"
  | "foreign";

/** One thing that was said: the text of a record, or one exception of it. */
export interface Statement {
  readonly text: string;
  readonly event: LogEvent;
  readonly thrown: ThrownError | undefined;
  readonly place: Place;
  readonly role: Role;
}

const KNOWN_LOGGER =
  /^(?:org\.(?:apache|rocksdb|elasticsearch|opensearch|postgresql|mongodb|mariadb|mortbay|eclipse|jboss|xerial|I0Itec)|akka|com\.(?:ververica|alibaba|aliyun|amazonaws|mysql|starrocks|selectdb|mongodb|clickhouse|google|microsoft|azure|oracle|dtstack|esotericsoftware|zaxxer|ibm|github\.shyiko|facebook|datastax|scylladb|sap|tencent|huawei|ctrip|oceanbase|pingcap|couchbase|databricks|snowflake)|software\.amazon|io\.(?:debezium|netty|fabric8|confluent|delta|kubernetes|grpc|streamnative|pravega|lettuce|prometheus|tidb|trino|airlift)|javax?|jdk|sun|scala|oracle|shaded|ru\.yandex|redis|okhttp3|[a-z]\.[a-z]\.|kafka\b|hive\b|Remoting$)/u;

/** A logger of Flink or a library, as opposed to the user's own classes. */
export function isKnownLogger(logger: string | undefined): boolean {
  if (logger === undefined) return true;
  if (KNOWN_LOGGER.test(logger)) return true;
  // Short forms of Hadoop's layout and of other systems: `checkpoint.CheckpointCoordinator`, `Task`.
  return logger.split(".").length <= 2;
}

const CHECKPOINT_TEXT =
  /^(?:Decline checkpoint|Declining checkpoint|Failed to trigger or complete checkpoint|Failed to trigger checkpoint|Discarding checkpoint|Checkpoint \d+ (?:of job \S+ )?expired|Error while (?:processing AcknowledgeCheckpoint|triggering checkpoint)|Could not (?:complete snapshot|perform checkpoint|materialize checkpoint)|Exception while triggering checkpoint|An error occurred while writing checkpoint)|asynchronous part of checkpoint \d+ could not be completed|Could not complete snapshot \d+/u;
const CHECKPOINT_THROWN =
  /CheckpointException|Could not (?:materialize checkpoint|complete snapshot|perform checkpoint|finalize the pending|complete the pending|write timer service)|Error while performing (?:the )?checkpoint/u;
const JOB_TEXT =
  /switched from state \w+ to (?:FAILING|RESTARTING|FAILED|SUSPENDED)|Trying to recover from a global failure|Fatal error occurred|Could not start cluster entrypoint|Failed to submit job|Error occurred in|encountered fatal error|Terminating TaskManagerRunner|Job \S+ reached terminal state FAILED|Failed to initialize the cluster/iu;
const RESTORE_THROWN =
  /Could not restore|Failed to rollback to checkpoint|StreamOperatorStateContext|JobInitializationException|Could not start the JobMaster|Cannot find meta data file|restoreSavepoint|StateMigrationException|BackendBuildingException|Could not retrieve checkpoint/u;

/** Says what each record has to do with a failure. */
export function roleOf(event: LogEvent): Role {
  const thrown = event.thrown.map((error) => `${error.className}: ${error.message}`).join("\n");
  const frames = event.thrown.some((error) =>
    error.frames.some((frame) =>
      /\.(?:restoreSavepoint|loadCheckpoint|loadAndValidateCheckpoint|initializeStateAndOpenOperators|restoreGates|createAndRestore)$/u.test(
        frame.method,
      ),
    ),
  );
  if (!isKnownLogger(event.logger)) return "foreign";
  if (CHECKPOINT_TEXT.test(event.message) && event.level !== "DEBUG") return "checkpoint";
  if (
    RESTORE_THROWN.test(thrown) ||
    (event.thrown.length > 0 &&
      frames &&
      /switched from INITIALIZING to FAILED|^$/u.test(event.message))
  )
    return "restore";
  if (/switched from \w+ to FAILED\b/u.test(event.message) && !/from state/u.test(event.message)) {
    return CHECKPOINT_THROWN.test(thrown) ? "checkpoint" : "task";
  }
  if (JOB_TEXT.test(event.message)) return CHECKPOINT_THROWN.test(thrown) ? "checkpoint" : "job";
  if (CHECKPOINT_THROWN.test(thrown)) return "checkpoint";
  if (event.logger === undefined && event.level === undefined) return "report";
  return /^(?:WARN|ERROR|FATAL)$/u.test(event.level ?? "") || event.thrown.length > 0
    ? "trouble"
    : "note";
}

/** All that was said, in the order of the inputs. */
export function statementsOf(evidence: Evidence): readonly Statement[] {
  const statements: Statement[] = [];
  for (const event of evidence.events) {
    const role = roleOf(event);
    if (event.message !== "") {
      statements.push({ text: event.message, event, thrown: undefined, place: event.place, role });
    }
    for (const thrown of event.thrown) {
      const text =
        thrown.message === "" ? thrown.className : `${thrown.className}: ${thrown.message}`;
      statements.push({ text, event, thrown, place: thrown.place, role });
    }
  }
  return statements;
}
