import type { CauseCode } from "../../cause-codes.ts";
import type { Article } from "../article.ts";

type Covered = Extract<
  CauseCode,
  | "disk-full"
  | "checkpoint-timeout-large-state"
  | "checkpoint-timeout-slow-upload"
  | "state-exceeds-memory-limit"
  | "rocksdb-localdir-no-hardlinks"
  | "local-recovery-cross-device-link"
  | "rocksdb-native-library-unloadable"
  | "non-deterministic-key"
  | "changelog-upload-timeout"
  | "restore-serializer-incompatible"
  | "not-serializable-state"
  | "kryo-concurrent-modification"
  | "kryo-unregistered-class"
  | "restore-connector-state-format-changed"
  | "heap-oom"
  | "metaspace-oom"
  | "container-oom-killed"
  | "rpc-framesize-exceeded"
  | "too-many-open-files"
  | "tm-heartbeat-timeout"
  | "gc-pause"
  | "taskmanager-lost"
  | "taskmanager-start-failed"
  | "resources-insufficient-slots"
  | "rocksdb-many-small-files"
  | "ha-store-points-to-deleted-checkpoint"
  | "ha-data-cleaned-on-zk-suspend"
  | "savepoint-client-timeout"
  | "stop-with-savepoint-event-to-finished-task"
  | "legacy-kafka-consumer-stop-with-savepoint"
  | "checkpoint-trigger-stuck-after-abort"
  | "restart-strategy-exhausted-before-resources"
  | "kafka-transaction-timeout"
  | "kafka-producer-id-expired"
  | "sink-transaction-timeout"
  | "sink-label-reused-after-stateless-restart"
  | "sink-coordinator-commit-blocked"
  | "sink-commit-skipped-stale-max-checkpoint-id"
  | "sink-commit-failed"
  | "kafka-transaction-timeout-above-broker-max"
  | "kafka-empty-transaction-committable"
  | "kafka-producer-pool-exhausted"
>;

/** Articles, part 2 of 3, in English. */
export const ARTICLES_EN_2: Readonly<Record<Covered, Article>> = {
  "disk-full": {
    title: "A file system is full",
    why: "There is no space left where state is written.",
    fix: "Free or enlarge that volume; retain fewer checkpoints.",
  },
  "checkpoint-timeout-large-state": {
    title: "The state is too large for the time-out",
    why: "The asynchronous part takes long because of the amount of data; it grew with the state.",
    fix: "Write incrementally, keep less state (time to live), or give more time.",
  },
  "checkpoint-timeout-slow-upload": {
    title: "The storage takes the state too slowly",
    why: "Barriers pass quickly and the state is small, and yet the asynchronous part does not end in time.",
    fix: "Find out why the storage is slow from these hosts; more time meanwhile.",
  },
  "state-exceeds-memory-limit": {
    title: "State goes to the JobManager's heap and is too large for it",
    why: "No checkpoint storage is in force, so state travels to the JobManager, which takes at most 5 MB of each.",
    fix: "Configure file system storage. In Flink up to 1.12 a directory alone does not do it: set the state backend.",
  },
  "rocksdb-localdir-no-hardlinks": {
    title: "RocksDB's local directory cannot make hard links",
    why: "A RocksDB snapshot links its files, and this file system has no links.",
    fix: "Put RocksDB's directory on a local disk.",
  },
  "local-recovery-cross-device-link": {
    title: "Local recovery and RocksDB lie on different devices",
    why: "The local copy is made by hard links, which do not reach across devices.",
    fix: "Put both directories on one device, or switch local recovery off.",
  },
  "rocksdb-native-library-unloadable": {
    title: "RocksDB's native library cannot be loaded",
    why: "The library does not fit this system, or its temporary directory forbids execution.",
    fix: "Use a system that it is built for, a temporary directory that allows execution, or the heap backend.",
  },
  "non-deterministic-key": {
    title: "The key's hash differs between sender and receiver",
    why: "The key's hashCode is not the same in every JVM (enum, array, identity hash), so records reach a subtask that does not own them.",
    fix: "Key by a string, number or tuple.",
  },
  "changelog-upload-timeout": {
    title: "Uploads of the state changelog time out",
    why: "Each attempt to write the changelog is cut off before it ends.",
    fix: "Give the upload more time and attempts, or look at the storage.",
  },
  "restore-serializer-incompatible": {
    title: "The new serializer cannot read the stored state",
    why: "The type of the state changed in a way that its serializer cannot follow.",
    fix: "Keep the type, migrate with the State Processor API, or give the operator a new uid.",
  },
  "not-serializable-state": {
    title: "The state cannot be serialised",
    why: "A value in the state has a type, or a field of a type, that its serializer cannot write.",
    fix: "Keep plain values in state, or give the type a serializer of its own.",
  },
  "kryo-concurrent-modification": {
    title: "A state object changes while it is written",
    why: "The snapshot writes an object in the background while the program still changes it.",
    fix: "Never change an object after it was put into state; put a copy.",
  },
  "kryo-unregistered-class": {
    title: "Kryo's registrations changed their order",
    why: "The numbers of classes in the stored state no longer mean the same classes.",
    fix: "Register the same classes in the same order as when it was written.",
  },
  "restore-connector-state-format-changed": {
    title: "The connector's state format changed",
    why: "The state was written by another version of the connector, and this one cannot read it.",
    fix: "Run the version that wrote it (or newer); or a new uid for that operator.",
  },
  "heap-oom": {
    title: "A process ran out of heap",
    why: "The heap was full; what failed then, the checkpoint included, is a consequence.",
    fix: "More heap for tasks, or smaller buffers and state in it.",
  },
  "metaspace-oom": {
    title: "The JVM's metaspace is used up",
    why: "Classes are loaded without end, or the job needs more of them than fit.",
    fix: "Find the class loader leak; more metaspace.",
  },
  "container-oom-killed": {
    title: "The process was killed for its memory",
    why: "Kernel or orchestrator ended it from outside (exit code 137); Java had no chance to say so.",
    fix: "Leave room outside the heap: larger process size, more JVM overhead, bounded RocksDB memory.",
  },
  "rpc-framesize-exceeded": {
    title: "A message is larger than the RPC frame",
    why: "An acknowledgement or a deployment is too large and is dropped; the JobManager only sees that it is missing.",
    fix: "Larger frame; keep state out of the messages (file storage, lower inline threshold).",
  },
  "too-many-open-files": {
    title: "The process may not open more files",
    why: "The limit of open files is reached; RocksDB and sockets need many.",
    fix: "Raise the limit (ulimit -n, LimitNOFILE), or let RocksDB keep fewer files open.",
  },
  "tm-heartbeat-timeout": {
    title: "A TaskManager did not answer in time",
    why: "The process lives and was silent for longer than the heartbeat's time-out: paused, starved, or cut off.",
    fix: "Look at that host: GC, CPU, swap, network. Then perhaps a longer time-out.",
  },
  "gc-pause": {
    title: "Long garbage collections",
    why: "The process stands still for its collections, so barriers, acknowledgements and heartbeats are late.",
    fix: "More heap, or less on it.",
  },
  "taskmanager-lost": {
    title: "A TaskManager is gone",
    why: "Its process vanished, and nothing at hand says why.",
    fix: "Look for its exit code and the kernel's log; a restart strategy that outlasts the detection.",
  },
  "taskmanager-start-failed": {
    title: "A TaskManager did not start",
    why: "Its process ended while starting, so no slot is there and no task runs.",
    fix: "See its own causes; start it again.",
  },
  "resources-insufficient-slots": {
    title: "There are too few slots",
    why: "The job needs more slots than the cluster has.",
    fix: "More TaskManagers or slots, or less parallelism.",
  },
  "rocksdb-many-small-files": {
    title: "Very many small state files",
    why: "Thousands of tiny files make metadata, messages and deletions heavy.",
    fix: "Manual compaction or file merging (1.20 and later), larger files.",
  },
  "ha-store-points-to-deleted-checkpoint": {
    title: "High availability points to a checkpoint that is gone",
    why: "The entry that recovery reads names a file that was deleted, so the JobManager cannot start.",
    fix: "Remove the entry, and start from a retained checkpoint by its path.",
  },
  "ha-data-cleaned-on-zk-suspend": {
    title: "Recovery data was removed when ZooKeeper paused",
    why: "The lost connection ended the job with an unknown status, and Flink cleaned up what it would have recovered from.",
    fix: "Tolerate suspended connections, upgrade (FLINK-25486), and resume by hand from the last retained checkpoint.",
  },
  "savepoint-client-timeout": {
    title: "The client stopped waiting; the savepoint went on",
    why: "The client gave up after its own time-out. The JobManager completed the savepoint later.",
    fix: "Wait longer, or trigger and poll. The savepoint can be used.",
  },
  "stop-with-savepoint-event-to-finished-task": {
    title: "The savepoint is there; stopping failed",
    why: "The savepoint completed, and the job failed afterwards while its tasks ended.",
    fix: "Start from that savepoint.",
  },
  "legacy-kafka-consumer-stop-with-savepoint": {
    title: "The old Kafka consumer fails at stop-with-savepoint",
    why: "FlinkKafkaConsumer closes its queue while it is still read (FLINK-28758).",
    fix: "Use KafkaSource, or take a savepoint and cancel.",
  },
  "checkpoint-trigger-stuck-after-abort": {
    title: "No trigger after an aborted checkpoint",
    why: "The coordinator believes that a trigger is still going on and never starts another (FLINK-26394, FLINK-27148).",
    fix: "Fail over the JobManager; upgrade.",
  },
  "restart-strategy-exhausted-before-resources": {
    title: "The restarts ran out before a replacement was there",
    why: "Each attempt failed for lack of slots, and the last one came before the new TaskManager.",
    fix: "More attempts, longer delays, or exponential delay; start again from the last checkpoint.",
  },
  "kafka-transaction-timeout": {
    title: "Kafka ended the transaction before the commit",
    why: "The time between two commits, restarts included, was longer than the transaction may live.",
    fix: "transaction.timeout.ms above interval, duration and downtime, and not above the brokers' maximum.",
  },
  "kafka-producer-id-expired": {
    title: "Kafka forgot the producer's id",
    why: "The transaction in the checkpoint belongs to an id that the broker no longer knows; each restore presents it again.",
    fix: "Longer transactional.id.expiration.ms; drop the committer's state once (FLINK-39072).",
  },
  "sink-transaction-timeout": {
    title: "The sink ended its transaction before the checkpoint",
    why: "The sink system aborts transactions that stay open longer than its limit.",
    fix: "Raise its limit above the checkpoint interval, or checkpoint more often.",
  },
  "sink-label-reused-after-stateless-restart": {
    title: "Labels are used a second time",
    why: "The job started without its state, counts from the beginning again, and meets labels that the sink has already seen.",
    fix: "Start from the last checkpoint, or choose another label prefix.",
  },
  "sink-coordinator-commit-blocked": {
    title: "The sink's coordinator is still committing",
    why: "The writers wait for the coordinator to open the next instant, and it is still busy with the last commit.",
    fix: "Make the commit faster (metadata, planning), or let them wait longer.",
  },
  "sink-commit-skipped-stale-max-checkpoint-id": {
    title: "Commits are skipped as done already",
    why: "The table stores a checkpoint id greater than the present ones, so the committer believes that all was committed.",
    fix: "Restore the job's state, or reset the stored id.",
  },
  "sink-commit-failed": {
    title: "The commit fails after the checkpoint is complete",
    why: "The checkpoint is done; its commit to the outside system throws, and the task fails.",
    fix: "Repair the outside system; retry inside the committer.",
  },
  "kafka-transaction-timeout-above-broker-max": {
    title: "The transaction time-out is above the brokers' maximum",
    why: "The producer asks for a longer transaction than the brokers allow, and cannot start.",
    fix: "Lower transaction.timeout.ms, or raise transaction.max.timeout.ms.",
  },
  "kafka-empty-transaction-committable": {
    title: "An empty transaction cannot be committed again",
    why: "The checkpoint holds a transaction that never carried a record; Kafka refuses its commit at every restore (FLINK-31363).",
    fix: "Upgrade the connector; drop the committer's state once.",
  },
  "kafka-producer-pool-exhausted": {
    title: "All producers of the pool are in use",
    why: "Checkpoints that did not complete keep their producers.",
    fix: "Find out why they do not complete; use KafkaSink.",
  },
};
