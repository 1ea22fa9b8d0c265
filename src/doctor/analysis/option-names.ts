import { OLDEST, type Release, type VersionRange } from "./flink-version.ts";

/** How an option is called, by the release that began to read the name. Oldest first. */
type Names = readonly (readonly [since: Release, name: string])[];

export interface OptionFact {
  readonly names: Names;
  /** First release that no longer reads any of the names. */
  readonly goneIn?: Release;
}

const always = (name: string): OptionFact => ({ names: [[OLDEST, name]] });
const since = (release: Release, name: string): OptionFact => ({ names: [[release, name]] });
const renamed = (...names: Names): OptionFact => ({ names });

/**
 * The options that a diagnosis may propose, under their newest name.
 *
 * @remarks
 * A name stays readable in later releases as a deprecated one. So the name of the oldest release in question is
 * read by all of them.
 *
 * Source: the option classes of Flink 1.4 to 2.3.
 */
export const OPTIONS: Readonly<Record<OptionId, OptionFact>> = {
  "execution.checkpointing.interval": since(110, "execution.checkpointing.interval"),
  "execution.checkpointing.timeout": since(110, "execution.checkpointing.timeout"),
  "execution.checkpointing.min-pause": since(110, "execution.checkpointing.min-pause"),
  "execution.checkpointing.tolerable-failed-checkpoints": since(
    110,
    "execution.checkpointing.tolerable-failed-checkpoints",
  ),
  "execution.checkpointing.max-concurrent-checkpoints": since(
    110,
    "execution.checkpointing.max-concurrent-checkpoints",
  ),
  "execution.checkpointing.externalized-checkpoint-retention": since(
    110,
    "execution.checkpointing.externalized-checkpoint-retention",
  ),
  "execution.checkpointing.unaligned.enabled": renamed(
    [111, "execution.checkpointing.unaligned"],
    [117, "execution.checkpointing.unaligned.enabled"],
  ),
  "execution.checkpointing.aligned-checkpoint-timeout": renamed(
    [112, "execution.checkpointing.alignment-timeout"],
    [114, "execution.checkpointing.aligned-checkpoint-timeout"],
  ),
  "execution.checkpointing.checkpoints-after-tasks-finish": renamed(
    [114, "execution.checkpointing.checkpoints-after-tasks-finish.enabled"],
    [120, "execution.checkpointing.checkpoints-after-tasks-finish"],
  ),
  "execution.checkpointing.dir": renamed(
    [OLDEST, "state.checkpoints.dir"],
    [120, "execution.checkpointing.dir"],
  ),
  "execution.checkpointing.savepoint-dir": renamed(
    [OLDEST, "state.savepoints.dir"],
    [120, "execution.checkpointing.savepoint-dir"],
  ),
  "execution.checkpointing.storage": renamed(
    [113, "state.checkpoint-storage"],
    [120, "execution.checkpointing.storage"],
  ),
  "execution.checkpointing.create-subdir": renamed(
    [119, "state.checkpoints.create-subdir"],
    [120, "execution.checkpointing.create-subdir"],
  ),
  "execution.checkpointing.num-retained": renamed(
    [OLDEST, "state.checkpoints.num-retained"],
    [120, "execution.checkpointing.num-retained"],
  ),
  "execution.checkpointing.incremental": renamed(
    [105, "state.backend.incremental"],
    [120, "execution.checkpointing.incremental"],
  ),
  "execution.checkpointing.data-inline-threshold": renamed(
    [105, "state.backend.fs.memory-threshold"],
    [112, "state.storage.fs.memory-threshold"],
    [120, "execution.checkpointing.data-inline-threshold"],
  ),
  "execution.checkpointing.local-backup.enabled": renamed(
    [105, "state.backend.local-recovery"],
    [120, "execution.checkpointing.local-backup.enabled"],
  ),
  "execution.checkpointing.local-backup.dirs": renamed(
    [105, "taskmanager.state.local.root-dirs"],
    [120, "execution.checkpointing.local-backup.dirs"],
  ),
  "execution.checkpointing.file-merging.enabled": since(
    120,
    "execution.checkpointing.file-merging.enabled",
  ),
  "execution.checkpointing.snapshot-compression": since(
    110,
    "execution.checkpointing.snapshot-compression",
  ),
  "execution.state-recovery.path": renamed(
    [110, "execution.savepoint.path"],
    [120, "execution.state-recovery.path"],
  ),
  "execution.state-recovery.claim-mode": renamed(
    [115, "execution.savepoint-restore-mode"],
    [120, "execution.state-recovery.claim-mode"],
  ),
  "execution.state-recovery.ignore-unclaimed-state": renamed(
    [110, "execution.savepoint.ignore-unclaimed-state"],
    [120, "execution.state-recovery.ignore-unclaimed-state"],
  ),
  "execution.state-recovery.without-channel-state.checkpoint-id": renamed(
    [114, "execution.checkpointing.recover-without-channel-state.checkpoint-id"],
    [120, "execution.state-recovery.without-channel-state.checkpoint-id"],
  ),
  "state.backend.type": renamed([OLDEST, "state.backend"], [117, "state.backend.type"]),
  "state.backend.rocksdb.localdir": since(105, "state.backend.rocksdb.localdir"),
  "state.backend.rocksdb.files.open": since(109, "state.backend.rocksdb.files.open"),
  "state.backend.rocksdb.timer-service.factory": since(
    107,
    "state.backend.rocksdb.timer-service.factory",
  ),
  "state.backend.rocksdb.checkpoint.transfer.thread.num": since(
    108,
    "state.backend.rocksdb.checkpoint.transfer.thread.num",
  ),
  "state.backend.rocksdb.manual-compaction.min-interval": since(
    120,
    "state.backend.rocksdb.manual-compaction.min-interval",
  ),
  "state.backend.rocksdb.compaction.level.target-file-size-base": since(
    109,
    "state.backend.rocksdb.compaction.level.target-file-size-base",
  ),
  "state.backend.rocksdb.memory.managed": since(110, "state.backend.rocksdb.memory.managed"),
  "state.changelog.dstl.dfs.upload.timeout": renamed(
    [114, "dstl.dfs.upload.timeout"],
    [120, "state.changelog.dstl.dfs.upload.timeout"],
  ),
  "state.changelog.dstl.dfs.upload.max-attempts": renamed(
    [114, "dstl.dfs.upload.max-attempts"],
    [120, "state.changelog.dstl.dfs.upload.max-attempts"],
  ),
  "task.checkpoint.alignment.max-size": {
    names: [[OLDEST, "task.checkpoint.alignment.max-size"]],
    goneIn: 111,
  },
  "taskmanager.network.memory.buffer-debloat.enabled": since(
    114,
    "taskmanager.network.memory.buffer-debloat.enabled",
  ),
  "taskmanager.memory.task.heap.size": since(110, "taskmanager.memory.task.heap.size"),
  "taskmanager.memory.process.size": since(110, "taskmanager.memory.process.size"),
  "taskmanager.memory.jvm-overhead.fraction": since(
    110,
    "taskmanager.memory.jvm-overhead.fraction",
  ),
  "taskmanager.memory.jvm-metaspace.size": since(110, "taskmanager.memory.jvm-metaspace.size"),
  "taskmanager.memory.managed.fraction": since(110, "taskmanager.memory.managed.fraction"),
  "taskmanager.heap.size": {
    names: [
      [OLDEST, "taskmanager.heap.mb"],
      [105, "taskmanager.heap.size"],
    ],
    goneIn: 110,
  },
  "containerized.heap-cutoff-ratio": {
    names: [[OLDEST, "containerized.heap-cutoff-ratio"]],
    goneIn: 110,
  },
  "taskmanager.numberOfTaskSlots": always("taskmanager.numberOfTaskSlots"),
  "parallelism.default": always("parallelism.default"),
  "pipeline.max-parallelism": since(110, "pipeline.max-parallelism"),
  "pipeline.auto-generate-uids": since(110, "pipeline.auto-generate-uids"),
  "io.tmp.dirs": since(105, "io.tmp.dirs"),
  "env.java.opts.all": renamed([OLDEST, "env.java.opts"], [118, "env.java.opts.all"]),
  "heartbeat.timeout": since(105, "heartbeat.timeout"),
  "pekko.framesize": renamed([OLDEST, "akka.framesize"], [118, "pekko.framesize"]),
  "pekko.startup-timeout": renamed(
    [OLDEST, "akka.startup-timeout"],
    [118, "pekko.startup-timeout"],
  ),
  "client.timeout": renamed([OLDEST, "akka.client.timeout"], [112, "client.timeout"]),
  "restart-strategy.type": renamed([OLDEST, "restart-strategy"], [117, "restart-strategy.type"]),
  "restart-strategy.fixed-delay.attempts": always("restart-strategy.fixed-delay.attempts"),
  "restart-strategy.fixed-delay.delay": always("restart-strategy.fixed-delay.delay"),
  "slot.request.timeout": since(105, "slot.request.timeout"),
  "classloader.parent-first-patterns.additional": since(
    106,
    "classloader.parent-first-patterns.additional",
  ),
  "high-availability.storageDir": always("high-availability.storageDir"),
  "high-availability.cluster-id": always("high-availability.cluster-id"),
  "high-availability.zookeeper.client.tolerate-suspended-connections": since(
    114,
    "high-availability.zookeeper.client.tolerate-suspended-connections",
  ),
  "high-availability.zookeeper.client.session-timeout": always(
    "high-availability.zookeeper.client.session-timeout",
  ),
  "security.kerberos.login.keytab": always("security.kerberos.login.keytab"),
  "security.kerberos.login.principal": always("security.kerberos.login.principal"),
  "security.kerberos.login.use-ticket-cache": always("security.kerberos.login.use-ticket-cache"),
  "s3.entropy.key": since(106, "s3.entropy.key"),
  "s3.entropy.length": since(106, "s3.entropy.length"),
  "s3.access-key": always("s3.access-key"),
  "s3.secret-key": always("s3.secret-key"),
  "s3.endpoint": always("s3.endpoint"),
  "s3.connection.maximum": always("s3.connection.maximum"),
  "fs.s3a.connection.maximum": always("fs.s3a.connection.maximum"),
  "fs.s3a.aws.credentials.provider": always("fs.s3a.aws.credentials.provider"),
  "dfs.client.block.write.locateFollowingBlock.retries": always(
    "dfs.client.block.write.locateFollowingBlock.retries",
  ),
  "dfs.namenode.fs-limits.max-directory-items": always(
    "dfs.namenode.fs-limits.max-directory-items",
  ),
  "dfs.datanode.directoryscan.interval": always("dfs.datanode.directoryscan.interval"),
  "transaction.timeout.ms": always("transaction.timeout.ms"),
  "transaction.max.timeout.ms": always("transaction.max.timeout.ms"),
  "transactional.id.expiration.ms": always("transactional.id.expiration.ms"),
  "transaction.state.log.min.isr": always("transaction.state.log.min.isr"),
  "sink.transactional-id-prefix": always("sink.transactional-id-prefix"),
  "sink.label-prefix": always("sink.label-prefix"),
  "sink.properties.timeout": always("sink.properties.timeout"),
  "sink.ignore-commit-error": always("sink.ignore-commit-error"),
  "scan.incremental.snapshot.enabled": always("scan.incremental.snapshot.enabled"),
  "heartbeat.interval.ms": always("heartbeat.interval.ms"),
  "delivery.timeout.ms": always("delivery.timeout.ms"),
  "request.timeout.ms": always("request.timeout.ms"),
  "write.commit.ack.timeout": always("write.commit.ack.timeout"),
  "write-only": always("write-only"),
  "snapshot.time-retained": always("snapshot.time-retained"),
  "snapshot.num-retained.min": always("snapshot.num-retained.min"),
  "write.batch.size": always("write.batch.size"),
  "write.task.max.size": always("write.task.max.size"),
};

/** The newest name of an option. */
export type OptionId =
  | "execution.checkpointing.interval"
  | "execution.checkpointing.timeout"
  | "execution.checkpointing.min-pause"
  | "execution.checkpointing.tolerable-failed-checkpoints"
  | "execution.checkpointing.max-concurrent-checkpoints"
  | "execution.checkpointing.externalized-checkpoint-retention"
  | "execution.checkpointing.unaligned.enabled"
  | "execution.checkpointing.aligned-checkpoint-timeout"
  | "execution.checkpointing.checkpoints-after-tasks-finish"
  | "execution.checkpointing.dir"
  | "execution.checkpointing.savepoint-dir"
  | "execution.checkpointing.storage"
  | "execution.checkpointing.create-subdir"
  | "execution.checkpointing.num-retained"
  | "execution.checkpointing.incremental"
  | "execution.checkpointing.data-inline-threshold"
  | "execution.checkpointing.local-backup.enabled"
  | "execution.checkpointing.local-backup.dirs"
  | "execution.checkpointing.file-merging.enabled"
  | "execution.checkpointing.snapshot-compression"
  | "execution.state-recovery.path"
  | "execution.state-recovery.claim-mode"
  | "execution.state-recovery.ignore-unclaimed-state"
  | "execution.state-recovery.without-channel-state.checkpoint-id"
  | "state.backend.type"
  | "state.backend.rocksdb.localdir"
  | "state.backend.rocksdb.files.open"
  | "state.backend.rocksdb.timer-service.factory"
  | "state.backend.rocksdb.checkpoint.transfer.thread.num"
  | "state.backend.rocksdb.manual-compaction.min-interval"
  | "state.backend.rocksdb.compaction.level.target-file-size-base"
  | "state.backend.rocksdb.memory.managed"
  | "state.changelog.dstl.dfs.upload.timeout"
  | "state.changelog.dstl.dfs.upload.max-attempts"
  | "task.checkpoint.alignment.max-size"
  | "taskmanager.network.memory.buffer-debloat.enabled"
  | "taskmanager.memory.task.heap.size"
  | "taskmanager.memory.process.size"
  | "taskmanager.memory.jvm-overhead.fraction"
  | "taskmanager.memory.jvm-metaspace.size"
  | "taskmanager.memory.managed.fraction"
  | "taskmanager.heap.size"
  | "containerized.heap-cutoff-ratio"
  | "taskmanager.numberOfTaskSlots"
  | "parallelism.default"
  | "pipeline.max-parallelism"
  | "pipeline.auto-generate-uids"
  | "io.tmp.dirs"
  | "env.java.opts.all"
  | "heartbeat.timeout"
  | "pekko.framesize"
  | "pekko.startup-timeout"
  | "client.timeout"
  | "restart-strategy.type"
  | "restart-strategy.fixed-delay.attempts"
  | "restart-strategy.fixed-delay.delay"
  | "slot.request.timeout"
  | "classloader.parent-first-patterns.additional"
  | "high-availability.storageDir"
  | "high-availability.cluster-id"
  | "high-availability.zookeeper.client.tolerate-suspended-connections"
  | "high-availability.zookeeper.client.session-timeout"
  | "security.kerberos.login.keytab"
  | "security.kerberos.login.principal"
  | "security.kerberos.login.use-ticket-cache"
  | "s3.entropy.key"
  | "s3.entropy.length"
  | "s3.access-key"
  | "s3.secret-key"
  | "s3.endpoint"
  | "s3.connection.maximum"
  | "fs.s3a.connection.maximum"
  | "fs.s3a.aws.credentials.provider"
  | "dfs.client.block.write.locateFollowingBlock.retries"
  | "dfs.namenode.fs-limits.max-directory-items"
  | "dfs.datanode.directoryscan.interval"
  | "transaction.timeout.ms"
  | "transaction.max.timeout.ms"
  | "transactional.id.expiration.ms"
  | "transaction.state.log.min.isr"
  | "sink.transactional-id-prefix"
  | "sink.label-prefix"
  | "sink.properties.timeout"
  | "sink.ignore-commit-error"
  | "scan.incremental.snapshot.enabled"
  | "heartbeat.interval.ms"
  | "delivery.timeout.ms"
  | "request.timeout.ms"
  | "write.commit.ack.timeout"
  | "write-only"
  | "snapshot.time-retained"
  | "snapshot.num-retained.min"
  | "write.batch.size"
  | "write.task.max.size";

/**
 * The spelling that every release of the range reads, or else that of the first release which has the option.
 *
 * @returns undefined if no release of the range has it.
 */
export function spell(option: OptionId, range: VersionRange): string | undefined {
  const fact: OptionFact = OPTIONS[option];
  if (fact.goneIn !== undefined && fact.goneIn <= range.min) return undefined;
  let spelling: string | undefined;
  for (const [from, name] of fact.names) {
    if (from <= range.min) spelling = name;
    else if (spelling === undefined && from <= range.max) return name;
  }
  return spelling;
}

/** Every name that an option has had. */
export function namesOf(option: OptionId): readonly string[] {
  const fact: OptionFact = OPTIONS[option];
  return fact.names.map(([, name]) => name);
}

/** True if a name is read by some release of the range; true for names that are not Flink's. */
export function isReadBy(name: string, range: VersionRange): boolean {
  for (const id of Object.keys(OPTIONS)) {
    const fact: OptionFact = OPTIONS[id as OptionId];
    const found = fact.names.find(([, own]) => own === name);
    if (found === undefined) continue;
    return found[0] <= range.max && (fact.goneIn === undefined || fact.goneIn > range.min);
  }
  return true;
}

/** True if two names belong to one option. */
export function sameOption(a: string, b: string): boolean {
  return Object.keys(OPTIONS).some((id) => {
    const names = namesOf(id as OptionId);
    return names.includes(a) && names.includes(b);
  });
}
