import type { CauseCode } from "../../cause-codes.ts";
import type { Article } from "../article.ts";

type Covered = Extract<
  CauseCode,
  | "source-finished-blocks-trigger"
  | "tasks-not-running-yet"
  | "task-finished-during-trigger-race"
  | "source-enumerator-snapshot-failed"
  | "backpressure-slow-operator"
  | "backpressure-slow-sink"
  | "backpressure-data-skew"
  | "alignment-limit-exceeded"
  | "unaligned-inflight-too-large"
  | "unaligned-not-effective"
  | "async-io-blocked"
  | "keyed-state-access-in-snapshotstate"
  | "user-code-blocking-call"
  | "cdc-snapshot-holds-checkpoint"
  | "sink-flush-blocked-in-snapshotstate"
  | "snapshot-sync-slow-user-code"
  | "user-exception-in-snapshotstate"
  | "source-holds-checkpoint-lock"
  | "heap-timers-sync-snapshot"
  | "snapshot-sync-stuck-native"
  | "sink-async-service-terminated"
  | "stale-user-classloader"
  | "storage-permission-denied"
  | "storage-mount-misconfigured"
  | "storage-local-path-not-shared"
  | "storage-filesystem-plugin-missing"
  | "storage-hadoop-not-on-classpath"
  | "storage-classpath-conflict"
  | "storage-read-only"
  | "storage-unreachable"
  | "storage-bucket-missing"
  | "hdfs-namenode-slow"
  | "hdfs-slow-write"
  | "hdfs-directory-item-limit"
  | "hdfs-safe-mode"
  | "hdfs-quota-exceeded"
  | "hdfs-namenode-standby"
  | "hdfs-no-datanode-available"
  | "kerberos-delegation-token-expired"
  | "s3-access-denied"
  | "s3-throttled"
  | "s3-connection-pool-exhausted"
>;

/** Articles, part 1 of 3, in English. */
export const ARTICLES_EN_1: Readonly<Record<Covered, Article>> = {
  "source-finished-blocks-trigger": {
    title: "A finished task stops every further checkpoint",
    why: "A task reached FINISHED, and this Flink does not take checkpoints once any task has finished: every later trigger is refused.",
    fix: "Keep the source's parallelism at or below its number of partitions, avoid bounded side inputs, or switch checkpoints after finished tasks on (Flink 1.14; on by default from 1.15).",
  },
  "tasks-not-running-yet": {
    title: "Triggers were skipped while tasks were starting",
    why: "A periodic trigger came while a task was still being deployed or initialised. Flink skips it and tries again at the next interval.",
    fix: "Nothing needs to change if later checkpoints complete. If it repeats for minutes, look at why the task does not reach RUNNING.",
  },
  "task-finished-during-trigger-race": {
    title: "The task ended between plan and trigger",
    why: "The coordinator planned the checkpoint while the task still ran; when the call arrived, the task was gone.",
    fix: "Harmless if it is rare: let one failed checkpoint be tolerated.",
  },
  "source-enumerator-snapshot-failed": {
    title: "The source's enumerator cannot snapshot its state",
    why: "The enumerator runs on the JobManager and its state is part of every checkpoint; its snapshot method threw or returned nothing.",
    fix: "Mend or upgrade the connector; change the enumerator's collections only in its own thread. No Flink option helps.",
  },
  "backpressure-slow-operator": {
    title: "Barriers queue behind the data of a slow operator",
    why: "The operator cannot keep up, its input queues fill, and the barrier waits in them. The snapshot itself is quick.",
    fix: "Make the operator faster or give it more parallelism. Unaligned checkpoints or buffer debloating let barriers through meanwhile.",
  },
  "backpressure-slow-sink": {
    title: "Barriers queue behind data that the sink does not take",
    why: "The external system behind the sink is slower than the stream, so everything before it is back-pressured and barriers arrive late or not at all.",
    fix: "Repair or scale the external system, write in batches or asynchronously; then unaligned checkpoints.",
  },
  "backpressure-data-skew": {
    title: "One subtask gets most of the data",
    why: "A hot key keeps one subtask busy while its siblings idle; the barrier waits in that one channel. More parallelism does not help.",
    fix: "Split the hot key (salt it and aggregate in two phases); unaligned checkpoints let the barrier overtake.",
  },
  "alignment-limit-exceeded": {
    title: "The alignment buffered more than it may",
    why: "A limit on the bytes buffered during alignment was reached, and the checkpoint was aborted.",
    fix: "Remove the limit, or reduce the skew between inputs.",
  },
  "unaligned-inflight-too-large": {
    title: "Too much data in flight is written with an unaligned checkpoint",
    why: "An unaligned checkpoint stores the buffers between the tasks. They are larger than the storage takes within the time-out.",
    fix: "Shrink the buffers (debloating), start aligned and switch only after a while, or give more time.",
  },
  "unaligned-not-effective": {
    title: "Unaligned checkpoints are on, and barriers still align",
    why: "The configuration asks for unaligned checkpoints, but the subtasks report aligned ones with long alignment.",
    fix: "Upgrade past the known defect (FLINK-37870); until then treat it as back pressure with aligned barriers.",
  },
  "async-io-blocked": {
    title: "The queue of an asynchronous operator is full",
    why: "Requests to an outside system are not answered, the queue of the asynchronous operator is full, and the task thread waits for a free place instead of taking the barrier.",
    fix: "Give the asynchronous operator a time-out below the checkpoint's, adjust its capacity, repair the outside system.",
  },
  "keyed-state-access-in-snapshotstate": {
    title: "Keyed state is touched inside snapshotState",
    why: "No key is current while a snapshot is taken, so keyed state cannot be read or written there.",
    fix: "Work on keyed state in processElement or timers; use operator state in snapshotState.",
  },
  "user-code-blocking-call": {
    title: "The task sits in a blocking call of the program",
    why: "The task thread waits in a call of the user's code (database, HTTP, lock), so it never takes the barrier.",
    fix: "Bound the call with a time-out, or move it to asynchronous I/O.",
  },
  "cdc-snapshot-holds-checkpoint": {
    title: "The first read of the tables holds the checkpoint lock",
    why: "A change-data source of the old kind takes the checkpoint lock for its whole snapshot phase; no checkpoint can complete before it ends.",
    fix: "Use the incremental snapshot source; else a long interval, a long time-out and many tolerated failures until the snapshot is done.",
  },
  "sink-flush-blocked-in-snapshotstate": {
    title: "The sink's flush never returns",
    why: "The connector flushes before the barrier goes on, and waits for an answer that does not come. Only this subtask does not acknowledge.",
    fix: "Restart to break the deadlock, then upgrade the connector.",
  },
  "snapshot-sync-slow-user-code": {
    title: "The program's snapshotState is slow",
    why: "The synchronous part takes long because the user's snapshot method does work or waits.",
    fix: "Flush elsewhere or asynchronously; only hand over state in snapshotState.",
  },
  "user-exception-in-snapshotstate": {
    title: "The program's snapshotState throws",
    why: "A failure in the synchronous part fails the task whatever number of failures is tolerated.",
    fix: "Repair what it calls, or retry inside; the exception below is its own.",
  },
  "source-holds-checkpoint-lock": {
    title: "A source emits for long while it holds the checkpoint lock",
    why: "A source of the old interface keeps the lock, so the task thread cannot start its snapshot.",
    fix: "Emit in small synchronized blocks, or use a source of the new interface.",
  },
  "heap-timers-sync-snapshot": {
    title: "Timers on the heap are written in the synchronous part",
    why: "RocksDB with timers on the heap copies all timers while the task stands still.",
    fix: "Keep the timers in RocksDB.",
  },
  "snapshot-sync-stuck-native": {
    title: "The snapshot hangs in RocksDB's native code",
    why: "The task thread does not come back from a native call of RocksDB.",
    fix: "Restart the TaskManager; see FLINK-40200.",
  },
  "sink-async-service-terminated": {
    title: "A connector's background service has ended",
    why: "The connector hands work to an executor that is already shut down, so its snapshot hook fails each time.",
    fix: "Restart the job and upgrade the connector.",
  },
  "stale-user-classloader": {
    title: "Classes of a class loader that has gone",
    why: "Something static outside the job keeps a class of an earlier run; the same class then exists twice and does not fit itself.",
    fix: "Put the library into lib/ or load it parent-first; or run in application mode.",
  },
  "storage-permission-denied": {
    title: "The process may not write the checkpoint directory",
    why: "The file system refuses to create or write the directory for the user that Flink runs as.",
    fix: "Give the directory to that user (chown, fsGroup, ACL), or choose one that it owns.",
  },
  "storage-mount-misconfigured": {
    title: "The directory is not the mounted volume everywhere",
    why: "One process writes to the shared volume, another to its own disk under the same path.",
    fix: "Mount the same writable volume into the JobManager and every TaskManager.",
  },
  "storage-local-path-not-shared": {
    title: "The checkpoint lies on one machine's own disk",
    why: "Checkpoints were written to a path that only one machine or container has; after a restart elsewhere the files are not there.",
    fix: "Use storage that is durable and shared by all processes.",
  },
  "storage-filesystem-plugin-missing": {
    title: "The file system's plugin is not installed",
    why: "Flink knows the scheme of the path, and the plugin that serves it is missing.",
    fix: "Put the plugin's jar into a folder of its own under plugins/ (ENABLE_BUILT_IN_PLUGINS in the image).",
  },
  "storage-hadoop-not-on-classpath": {
    title: "Hadoop's classes are not on the class path",
    why: "The path needs Hadoop's file system, and its classes are not there.",
    fix: "Set HADOOP_CLASSPATH for every process.",
  },
  "storage-classpath-conflict": {
    title: "Two copies of the file system's client collide",
    why: "Classes of the client come from two jars, and one closes or misses what the other needs.",
    fix: "Keep only the copy in plugins/; take the others out of lib/ and the job's jar.",
  },
  "storage-read-only": {
    title: "The storage has become read-only",
    why: "The directory could be written before and no longer can; the volume is mounted read-only.",
    fix: "Find out why it was remounted (kernel log), repair and remount it.",
  },
  "storage-unreachable": {
    title: "The storage does not answer",
    why: "Connections to the storage's endpoint are refused or time out.",
    fix: "Check endpoint, service and network from the host that reports it.",
  },
  "storage-bucket-missing": {
    title: "The bucket does not exist",
    why: "The bucket or container of the checkpoint path is not there, or has another name or region.",
    fix: "Create it, or correct the path.",
  },
  "hdfs-namenode-slow": {
    title: "The NameNode is too slow to close files",
    why: "DataNodes report their blocks too late, and the client gives up closing the file.",
    fix: "Look at the NameNode's load and GC; let the client retry more often.",
  },
  "hdfs-slow-write": {
    title: "HDFS takes long to close even small files",
    why: "The state is small, and closing its file takes tens of seconds: DataNodes stall.",
    fix: "Look at the DataNodes (disks, directory scans, HDFS-14476); more time for the checkpoint meanwhile.",
  },
  "hdfs-directory-item-limit": {
    title: "A directory holds as many entries as HDFS allows",
    why: "Nothing more can be created in it. Which directory it is tells why it filled.",
    fix: "Clean it; set a checkpoint directory if checkpoints went to the storage of high availability.",
  },
  "hdfs-safe-mode": {
    title: "The NameNode is in safe mode",
    why: "HDFS accepts no writes: it is starting, or short of blocks or disk.",
    fix: "Find out why (hdfs dfsadmin -report), then leave safe mode.",
  },
  "hdfs-quota-exceeded": {
    title: "The directory's quota is used up",
    why: "HDFS refuses to write past the quota for names or space.",
    fix: "Raise the quota, or retain less.",
  },
  "hdfs-namenode-standby": {
    title: "The path names a NameNode that is on standby",
    why: "The address names one host, and that one no longer is the active one.",
    fix: "Use the name service instead of a host.",
  },
  "hdfs-no-datanode-available": {
    title: "No DataNode takes the block",
    why: "All DataNodes are down, full, or cannot be reached from the writer.",
    fix: "Check DataNodes: up, disk, network from the TaskManager.",
  },
  "kerberos-delegation-token-expired": {
    title: "The Kerberos token has expired",
    why: "The job runs longer than its HDFS token lives, and nothing renews it.",
    fix: "Give Flink a keytab and principal, so that it can renew by itself (better from 1.17 on).",
  },
  "s3-access-denied": {
    title: "The object store refuses the credentials",
    why: "Key, secret, role or policy do not allow the request, or they have expired.",
    fix: "Check the credentials that this process really uses, and the policy of the bucket.",
  },
  "s3-throttled": {
    title: "The object store asks for fewer requests",
    why: "Too many requests hit one prefix; the store answers 503.",
    fix: "Spread the files over prefixes (entropy), write fewer and larger ones.",
  },
  "s3-connection-pool-exhausted": {
    title: "The client has too few connections",
    why: "More streams are open at a time than the client may have connections.",
    fix: "Allow more connections than slots times open streams; look for streams that are never closed.",
  },
};
