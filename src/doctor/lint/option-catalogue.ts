/**
 * Flink's options: kind of value, first release that has the option, first that has not, then the names.
 *
 * @remarks
 * `name@120<older<oldest`: the name since 1.20, and older ones that are still read. Where the first release is not known, it is given as the oldest;
 * an option is then never called too new.
 *
 * Source: the option classes in the distributions of Flink 1.20.5 and 2.3.0; for options of checkpoints the ranges from those of 1.4 to 2.3.
 */
export const OPTION_CATALOGUE: string = `
duration 104-: cleanup-strategy.exponential-delay.initial-backoff cleanup-strategy.exponential-delay.max-backoff
  cleanup-strategy.fixed-delay.delay client.heartbeat.interval client.heartbeat.timeout client.retry-period
  client.timeout@112<akka.client.timeout cluster.registration.error-delay cluster.registration.initial-timeout
  cluster.registration.max-timeout cluster.registration.refused-registration-delay cluster.services.shutdown-timeout
  collect-sink.socket-timeout execution.batch.job-recovery.previous-worker.recovery.timeout execution.batch.job-recovery.snapshot.min-pause
  execution.batch.speculative.block-slow-node-duration@120<jobmanager.adaptive-batch-scheduler.speculative.block-slow-node-duration
  heartbeat.interval heartbeat.timeout high-availability.zookeeper.client.connection-timeout<recovery.zookeeper.client.connection-timeout
  high-availability.zookeeper.client.max-close-wait high-availability.zookeeper.client.retry-wait<recovery.zookeeper.client.retry-wait
  high-availability.zookeeper.client.session-timeout<recovery.zookeeper.client.session-timeout historyserver.archive.fs.refresh-interval
  historyserver.web.refresh-interval job-event.store.write-buffer.flush-interval
  jobmanager.adaptive-scheduler.resource-stabilization-timeout jobmanager.adaptive-scheduler.resource-wait-timeout
  jobmanager.adaptive-scheduler.scaling-interval.max jobmanager.adaptive-scheduler.scaling-interval.min
  kubernetes.transactional-operation.initial-retry-delay kubernetes.transactional-operation.max-retry-delay
  materialized-table.refresh-mode.freshness-threshold metrics.fetcher.update-interval metrics.latency.interval
  metrics.system-resource-probing-interval pekko.ask.timeout@118<akka.ask.timeout pekko.lookup.timeout@118<akka.lookup.timeout
  pekko.startup-timeout@118<akka.startup-timeout pekko.tcp.timeout@118<akka.tcp.timeout pipeline.cep.sharedbuffer.cache.statistics-interval
  resourcemanager.job.timeout resourcemanager.previous-worker.recovery.timeout resourcemanager.standalone.start-up-time
  resourcemanager.start-worker.retry-interval resourcemanager.taskmanager-registration.timeout
  resourcemanager.taskmanager-timeout@120<slotmanager.taskmanager-timeout rest.cache.checkpoint-statistics.timeout rest.connection-timeout
  rest.flamegraph.cleanup-interval rest.flamegraph.delay-between-samples rest.flamegraph.refresh-interval rest.idleness-timeout
  rest.profiling.duration-max rest.retry.delay
  security.delegation.tokens.renewal.retry.backoff@120<security.kerberos.tokens.renewal.retry.backoff security.kerberos.relogin.period
  slotmanager.declare-needed-resource.delay slotmanager.requirement-check.delay slow-task-detector.check-interval
  slow-task-detector.execution-time.baseline-lower-bound
  state.changelog.dstl.dfs.download.local-cache.idle-timeout-ms@120<dstl.dfs.download.local-cache.idle-timeout-ms
  state.changelog.dstl.dfs.upload.next-attempt-delay@120<dstl.dfs.upload.next-attempt-delay
  task.cancellation.interval<task.cancellation-interval task.cancellation.timeout
  taskmanager.debug.memory.log-interval@120<taskmanager.debug.memory.logIntervalMs
  taskmanager.runtime.fs-timeout@120<taskmanager.runtime.fs_timeout web.refresh-interval<jobmanager.web.refresh-interval web.timeout
  yarn.heartbeat.container-request-interval
duration 104-200: taskmanager.registration.initial-backoff@120<taskmanager.initial-registration-pause
  taskmanager.registration.max-backoff@120<taskmanager.max-registration-pause
  taskmanager.registration.refused-backoff@120<taskmanager.refused-registration-pause
duration 105-: rest.await-leader-timeout slot.idle.timeout slot.request.timeout
  task.cancellation.timers.timeout<timerservice.exceptional.shutdown.timeout
duration 106-: taskmanager.registration.timeout<taskmanager.maxRegistrationDuration
duration 109-: taskmanager.network.memory.buffers-request-timeout@120<taskmanager.network.memory.exclusive-buffers-request-timeout-ms
duration 110-: execution.buffer-timeout.interval@118<execution.buffer-timeout execution.checkpointing.interval
  execution.checkpointing.min-pause execution.checkpointing.timeout pipeline.auto-watermark-interval restart-strategy.failure-rate.delay
  restart-strategy.failure-rate.failure-rate-interval restart-strategy.fixed-delay.delay
duration 112-: execution.checkpointing.aligned-checkpoint-timeout@114<execution.checkpointing.alignment-timeout
  high-availability.kubernetes.leader-election.lease-duration high-availability.kubernetes.leader-election.renew-deadline
  high-availability.kubernetes.leader-election.retry-period
duration 113-: restart-strategy.exponential-delay.initial-backoff restart-strategy.exponential-delay.max-backoff
  restart-strategy.exponential-delay.reset-backoff-threshold taskmanager.slot.timeout
duration 114-: state.changelog.dstl.dfs.batch.persist-delay@120<dstl.dfs.batch.persist-delay
  state.changelog.dstl.dfs.upload.timeout@120<dstl.dfs.upload.timeout taskmanager.network.memory.buffer-debloat.period
  taskmanager.network.memory.buffer-debloat.target
duration 115-: rest.async.store-duration
  state.changelog.periodic-materialize.interval@120<state.backend.changelog.periodic-materialize.interval
duration 119-: execution.checkpointing.interval-during-backlog taskmanager.network.partition-request-timeout
duration 120-: state.backend.rocksdb.manual-compaction.min-interval
duration 200-: completed-application-store.expiration-time high-availability.zookeeper.client.max-retry-wait
  historyserver.archive.retained-ttl jobmanager.adaptive-scheduler.executing.cooldown-after-rescaling
  jobmanager.adaptive-scheduler.executing.resource-stabilization-timeout jobmanager.adaptive-scheduler.rescale-trigger.max-delay
  jobmanager.adaptive-scheduler.submission.resource-stabilization-timeout jobmanager.adaptive-scheduler.submission.resource-wait-timeout
  materialized-table.default-freshness.continuous materialized-table.default-freshness.full rest.cache.execution-graph.timeout
  slot.request.max-interval state.backend.forst.compaction.filter.periodic-compaction-time
  state.backend.rocksdb.compaction.filter.periodic-compaction-time
enum 104-: cluster.intercept-user-system-exit cluster.uncaught-exception-handling execution.batch-shuffle-mode execution.runtime-mode
  jobmanager.partition.hybrid.partition-data-consume-constraint jobstore.type kubernetes.container.image.pull-policy
  kubernetes.rest-service.exposed.node-port-address-type kubernetes.rest-service.exposed.type pipeline.closure-cleaner-level
  pipeline.vertex-description-mode taskmanager.load-balance.mode taskmanager.network.compression.codec taskmanager.system-out.mode
  yarn.classpath.include-user-jar@120<yarn.per-job-cluster.include-user-jar
enum 104-200: pipeline.time-characteristic
enum 107-: state.backend.rocksdb.timer-service.factory
enum 109-: jobmanager.scheduler state.backend.rocksdb.compaction.style
enum 110-: execution.checkpointing.externalized-checkpoint-retention execution.checkpointing.mode
enum 113-: state.backend.rocksdb.log.level
enum 115-: execution.state-recovery.claim-mode@120<execution.savepoint-restore-mode
enum 200-: completed-application-store.type materialized-table.default-start-mode state.backend.forst.compaction.style
  state.backend.forst.log.level state.backend.forst.timer-service.factory traces.checkpoint.span-detail-level
flag 104-: blob.service.ssl.enabled classloader.check-leaked-classloader classloader.fail-on-metaspace-oom-error
  cluster.processes.halt-on-fatal-error env.stdout-err.redirect-to-file execution.attached execution.batch-state-backend.enabled
  execution.batch.adaptive.auto-parallelism.enabled execution.batch.job-recovery.enabled
  execution.batch.speculative.enabled@120<jobmanager.adaptive-batch-scheduler.speculative.enabled
  execution.program-config.enabled@120<execution.allow-client-job-configurations execution.shutdown-on-application-finish
  execution.shutdown-on-attached-exit execution.sorted-inputs.enabled execution.submit-failed-job-on-application-error
  fs.output.always-create-directory fs.overwrite-files high-availability.zookeeper.client.ensemble-tracker
  historyserver.archive.clean-expired-jobs historyserver.web.ssl.enabled job-result-store.delete-on-commit
  jobmanager.adaptive-scheduler.prefer-minimal-taskmanagers jobmanager.memory.enable-jvm-direct-memory-limit
  jobmanager.partition.release-during-job-execution jobmanager.retrieve-taskmanager-hostname kubernetes.artifacts.local-upload-enabled
  kubernetes.artifacts.local-upload-overwrite kubernetes.decorator.hadoop-conf-mount.enabled kubernetes.decorator.kerberos-mount.enabled
  kubernetes.hostnetwork.enabled metrics.system-resource pekko.ask.callstack@118<akka.ask.callstack
  pekko.jvm-exit-on-fatal-error@118<akka.jvm-exit-on-fatal-error pekko.log.lifecycle.events@118<akka.log.lifecycle.events
  pekko.rpc.force-invocation-serialization@118<akka.rpc.force-invocation-serialization pekko.ssl.enabled@118<akka.ssl.enabled
  pipeline.force-avro pipeline.force-kryo pipeline.force-kryo-avro pipeline.generic-types pipeline.vertex-name-include-index-prefix
  queryable-state.enable rest.flamegraph.enabled rest.profiling.enabled
  security.delegation.tokens.enabled@120<security.kerberos.fetch.delegation-token security.kerberos.login.use-ticket-cache
  security.ssl.internal.enabled security.ssl.rest.authentication-enabled security.ssl.rest.enabled security.ssl.verify-hostname
  state.backend.rocksdb.bloom-filter.block-based-mode
  state.latency-track.state-name-as-variable@120<state.backend.latency-track.state-name-as-variable taskmanager.data.ssl.enabled
  taskmanager.debug.memory.log@120<taskmanager.debug.memory.startLogThread taskmanager.jvm-exit-on-oom taskmanager.network.detailed-metrics
  taskmanager.network.tcp-connection.enable-reuse-across-jobs taskmanager.runtime.hashjoin-bloom-filters
  taskmanager.runtime.large-record-handler taskmanager.system-out.log.thread-name.enabled user.artifacts.raw-http-enabled web.cancel.enable
  web.rescale.enable web.submit.enable@120<jobmanager.web.submit.enable yarn.security.kerberos.ship-local-keytab zookeeper.sasl.disable
flag 104-200: cluster.evenly-spread-out-slots pipeline.auto-type-registration resourcemanager.taskmanager-release.wait.result.consumed
  security.ssl.enabled taskmanager.exit-on-fatal-akka-error
  taskmanager.network.batch-shuffle.compression.enabled@120<taskmanager.network.blocking-shuffle.compression.enabled
  taskmanager.network.hybrid-shuffle.enable-new-mode traces.report-events-as-spans web.ssl.enabled@120<jobmanager.web.ssl.enabled
flag 105-: execution.checkpointing.incremental@120<state.backend.incremental
  execution.checkpointing.local-backup.enabled@120<state.backend.local-recovery
flag 105-200: state.backend.async
flag 109-: state.backend.rocksdb.compaction.level.use-dynamic-size
flag 110-: execution.checkpointing.snapshot-compression
  execution.state-recovery.ignore-unclaimed-state@120<execution.savepoint.ignore-unclaimed-state pipeline.auto-generate-uids
  pipeline.object-reuse pipeline.operator-chaining.enabled@118<pipeline.operator-chaining state.backend.rocksdb.memory.managed
flag 110-115: execution.checkpointing.prefer-checkpoint-for-recovery
flag 111-: execution.checkpointing.unaligned.enabled@117<execution.checkpointing.unaligned
flag 112-: execution.checkpointing.unaligned.forced
flag 113-: state.backend.rocksdb.memory.partitioned-index-filters state.changelog.enabled@120<state.backend.changelog.enabled
  state.latency-track.keyed-state-enabled@120<state.backend.latency-track.keyed-state-enabled
flag 114-: execution.checkpointing.checkpoints-after-tasks-finish@120<execution.checkpointing.checkpoints-after-tasks-finish.enabled
  high-availability.zookeeper.client.tolerate-suspended-connections
  state.changelog.dstl.dfs.compression.enabled@120<dstl.dfs.compression.enabled taskmanager.network.memory.buffer-debloat.enabled
flag 115-: state.backend.rocksdb.use-bloom-filter
flag 117-: execution.state-recovery.approximate-local-recovery@120<execution.checkpointing.approximate-local-recovery
  pipeline.watermark-alignment.allow-unaligned-source-splits
flag 117-200: execution.checkpointing.force
flag 118-: execution.buffer-timeout.enabled pipeline.operator-chaining.chain-operators-with-different-max-parallelism
flag 119-: execution.checkpointing.cleaner.parallel-mode@120<state.checkpoint.cleaner.parallel-mode
  execution.checkpointing.create-subdir@120<state.checkpoints.create-subdir
  state.changelog.periodic-materialize.enabled@120<state.backend.changelog.periodic-materialize.enabled
flag 120-: execution.checkpointing.file-merging.across-checkpoint-boundary execution.checkpointing.file-merging.enabled
  execution.checkpointing.file-merging.pool-blocking execution.checkpointing.unaligned.interruptible-timers.enabled
  execution.state-recovery.from-local<state.backend.local-recovery state.backend.rocksdb.incremental-restore-async-compact-after-rescale
  state.backend.rocksdb.rescaling.use-delete-files-in-range state.backend.rocksdb.use-ingest-db-restore-mode
flag 200-: application-result-store.delete-on-commit execution.terminate-application-on-any-job-terminated-exceptionally
  historyserver.archive.clean-expired-applications kubernetes.persistent-volume-claim-read-only security.ssl.rest.verify-hostname
  state.backend.forst.bloom-filter.block-based-mode state.backend.forst.compaction.level.use-dynamic-size
  state.backend.forst.executor.inline-coordinator state.backend.forst.executor.inline-write state.backend.forst.memory.managed
  state.backend.forst.memory.partitioned-index-filters state.backend.forst.rescaling.use-delete-files-in-range
  state.backend.forst.sync.enforce-local state.backend.forst.use-bloom-filter state.backend.forst.use-ingest-db-restore-mode
  state.size-track.keyed-state-enabled state.size-track.state-name-as-variable taskmanager.network.adaptive-partitioner.enabled
flag 203-: execution.checkpointing.during-recovery.enabled execution.checkpointing.unaligned.recover-output-on-downstream.enabled
  pipeline.sources.pause-until-first-checkpoint
int 104-: blob.client.connect.timeout blob.client.socket.timeout blob.fetch.backlog blob.fetch.num-concurrent blob.fetch.retries
  blob.offload.minsize blob.service.cleanup.interval@120<library-cache-manager.cleanup.interval cleanup-strategy.exponential-delay.attempts
  cleanup-strategy.fixed-delay.attempts cluster.thread-dump.stacktrace-max-depth env.log.max
  execution.batch.adaptive.auto-parallelism.default-source-parallelism@120<jobmanager.adaptive-batch-scheduler.default-source-parallelism
  execution.batch.adaptive.auto-parallelism.max-parallelism@120<jobmanager.adaptive-batch-scheduler.max-parallelism
  execution.batch.adaptive.auto-parallelism.min-parallelism@120<jobmanager.adaptive-batch-scheduler.min-parallelism
  execution.batch.speculative.max-concurrent-executions@120<jobmanager.adaptive-batch-scheduler.speculative.max-concurrent-executions
  execution.checkpointing.num-retained@120<state.checkpoints.num-retained heartbeat.rpc-failure-threshold
  high-availability.zookeeper.client.max-retry-attempts<recovery.zookeeper.client.max-retry-attempts
  high-availability.zookeeper.client.simulated-session-expiration-percent historyserver.archive.retained-jobs historyserver.web.port
  jobmanager.adaptive-scheduler.min-parallelism-increase
  jobmanager.execution.attempts-history-size@120<job-manager.max-attempts-history-size jobmanager.rpc.bind-port jobmanager.rpc.port
  jobmanager.task-deployment.offload-shuffle-descriptors-to-blob-server.threshold-num jobstore.cache-size jobstore.expiration-time
  jobstore.max-capacity kubernetes.client.io-pool.size kubernetes.jobmanager.replicas kubernetes.transactional-operation.max-retries
  metrics.internal.query-service.thread-priority metrics.latency.history-size parallelism.default
  pekko.client-socket-worker-pool.pool-size-max@118<akka.client-socket-worker-pool.pool-size-max
  pekko.client-socket-worker-pool.pool-size-min@118<akka.client-socket-worker-pool.pool-size-min
  pekko.fork-join-executor.parallelism-max@118<akka.fork-join-executor.parallelism-max
  pekko.fork-join-executor.parallelism-min@118<akka.fork-join-executor.parallelism-min pekko.remote-fork-join-executor.parallelism-max
  pekko.remote-fork-join-executor.parallelism-min pekko.retry-gate-closed-for@118<akka.retry-gate-closed-for
  pekko.server-socket-worker-pool.pool-size-max@118<akka.server-socket-worker-pool.pool-size-max
  pekko.server-socket-worker-pool.pool-size-min@118<akka.server-socket-worker-pool.pool-size-min pekko.throughput@118<akka.throughput
  pipeline.cep.sharedbuffer.cache.entry-slots pipeline.cep.sharedbuffer.cache.event-slots
  queryable-state.client.network-threads@120<query.client.network-threads
  queryable-state.proxy.network-threads@120<query.proxy.network-threads queryable-state.proxy.query-threads@120<query.proxy.query-threads
  queryable-state.server.network-threads@120<query.server.network-threads
  queryable-state.server.query-threads@120<query.server.query-threads resourcemanager.rpc.port rest.client.max-content-length
  rest.flamegraph.num-samples rest.flamegraph.stack-depth rest.port@120<web.port rest.profiling.history-size rest.retry.max-attempts
  rest.server.max-content-length rest.server.numThreads rest.server.thread-priority
  security.ssl.internal.close-notify-flush-timeout@120<security.ssl.close-notify-flush-timeout
  security.ssl.internal.handshake-timeout@120<security.ssl.handshake-timeout
  security.ssl.internal.session-cache-size@120<security.ssl.session-cache-size
  security.ssl.internal.session-timeout@120<security.ssl.session-timeout sink.committer.retries slotmanager.number-of-slots.max
  slotmanager.number-of-slots.min slotmanager.redundant-taskmanager-num source.reader.close.timeout source.reader.element.queue.capacity
  state.backend.rocksdb.log.file-num state.backend.rocksdb.manual-compaction.max-auto-compactions
  state.backend.rocksdb.manual-compaction.max-files-to-compact state.backend.rocksdb.manual-compaction.max-parallel-compactions
  state.backend.rocksdb.manual-compaction.min-files-to-compact state.backend.rocksdb.timer-service.cache-size
  state.changelog.dstl.dfs.discard.num-threads@120<dstl.dfs.discard.num-threads
  state.changelog.dstl.dfs.upload.num-threads@120<dstl.dfs.upload.num-threads
  state.latency-track.history-size@120<state.backend.latency-track.history-size
  state.latency-track.sample-interval@120<state.backend.latency-track.sample-interval taskmanager.collect-sink.port taskmanager.data.port
  taskmanager.network.netty.client.connectTimeoutSec<taskmanager.net.client.connectTimeoutSec taskmanager.network.netty.client.tcp.keepCount
  taskmanager.network.netty.client.tcp.keepIdleSec taskmanager.network.netty.client.tcp.keepIntervalSec
  taskmanager.network.request-backoff.initial@120<taskmanager.net.request-backoff.initial
  taskmanager.network.request-backoff.max<taskmanager.net.request-backoff.max taskmanager.network.sort-shuffle.min-buffers
  taskmanager.rpc.bind-port taskmanager.runtime.max-fan web.checkpoints.history<jobmanager.web.checkpoints.history
  web.history@120<jobmanager.web.history yarn.application-attempt-failures-validity-interval yarn.application-attempts
  yarn.application.priority yarn.appmaster.vcores yarn.containers.vcores yarn.file-replication
  yarn.heartbeat.interval@120<yarn.heartbeat-delay
int 104-111: task.checkpoint.alignment.max-size
int 104-200: akka.watch.threshold execution.async-state.buffer-size execution.async-state.buffer-timeout
  execution.async-state.in-flight-records-limit jobmanager.heap.mb taskmanager.heap.mb
  taskmanager.network.hybrid-shuffle.num-retained-in-memory-regions-max
  taskmanager.network.hybrid-shuffle.spill-index-region-group-size@120<taskmanager.network.hybrid-shuffle.spill-index-segment-size
  taskmanager.network.memory.floating-buffers-per-gate taskmanager.network.netty.client.numThreads@120<taskmanager.net.client.numThreads
  taskmanager.network.netty.num-arenas@120<taskmanager.net.num-arenas
  taskmanager.network.netty.sendReceiveBufferSize@120<taskmanager.net.sendReceiveBufferSize
  taskmanager.network.netty.server.backlog@120<taskmanager.net.server.backlog
  taskmanager.network.netty.server.numThreads@120<taskmanager.net.server.numThreads taskmanager.network.numberOfBuffers
  taskmanager.network.sort-shuffle.min-parallelism web.backpressure.cleanup-interval@120<jobmanager.web.backpressure.cleanup-interval
  web.backpressure.delay-between-samples@120<jobmanager.web.backpressure.delay-between-samples
  web.backpressure.num-samples@120<jobmanager.web.backpressure.num-samples
  web.backpressure.refresh-interval@120<jobmanager.web.backpressure.refresh-interval
int 105-: taskmanager.numberOfTaskSlots
int 105-200: taskmanager.network.memory.buffers-per-channel
int 108-: state.backend.rocksdb.checkpoint.transfer.thread.num
int 109-: execution.checkpointing.write-buffer-size@120<state.backend.fs.write-buffer-size<state.storage.fs.write-buffer-size
  state.backend.rocksdb.files.open state.backend.rocksdb.thread.num state.backend.rocksdb.writebuffer.count
  state.backend.rocksdb.writebuffer.number-to-merge
int 110-: execution.checkpointing.max-concurrent-checkpoints execution.checkpointing.tolerable-failed-checkpoints pipeline.max-parallelism
  restart-strategy.failure-rate.max-failures-per-interval restart-strategy.fixed-delay.attempts
int 111-200: taskmanager.network.memory.max-buffers-per-channel
int 112-: cluster.io-pool.size taskmanager.network.retries
int 113-: web.exception-history-size
int 114-:
  execution.state-recovery.without-channel-state.checkpoint-id@120<execution.checkpointing.recover-without-channel-state.checkpoint-id
  state.changelog.dstl.dfs.upload.max-attempts@120<dstl.dfs.upload.max-attempts taskmanager.network.memory.buffer-debloat.samples
  taskmanager.network.memory.buffer-debloat.threshold-percentages
int 115-: jobmanager.future-pool.size jobmanager.io-pool.size
  state.changelog.max-failures-allowed@120<state.backend.changelog.max-failures-allowed
int 115-200: taskmanager.network.max-num-tcp-connections
int 116-200: taskmanager.network.memory.max-overdraft-buffers-per-gate
int 117-: execution.checkpointing.unaligned.max-subtasks-per-channel-state-file taskmanager.network.memory.read-buffer.required-per-gate.max
int 118-: rest.cache.checkpoint-statistics.size
int 119-: restart-strategy.exponential-delay.attempts-before-reset-backoff
int 120-: execution.checkpointing.file-merging.max-subtasks-per-file
int 200-: completed-application-store.cache-size completed-application-store.max-capacity execution.async-state.active-buffer-size
  execution.async-state.active-buffer-timeout execution.async-state.total-buffer-size historyserver.archive.retained-applications
  jobmanager.adaptive-scheduler.rescale-trigger.max-checkpoint-failures pipeline.watermark-alignment.buffer-size
  state.backend.forst.cache.lru.access-before-promote state.backend.forst.cache.lru.promote-limit
  state.backend.forst.compaction.filter.query-time-after-num-entries state.backend.forst.executor.read-io-parallelism
  state.backend.forst.executor.write-io-parallelism state.backend.forst.files.open state.backend.forst.log.file-num
  state.backend.forst.thread.num state.backend.forst.timer-service.cache-size state.backend.forst.writebuffer.count
  state.backend.forst.writebuffer.number-to-merge state.backend.rocksdb.compaction.filter.query-time-after-num-entries
  state.size-track.history-size state.size-track.sample-interval taskmanager.network.adaptive-partitioner.max-traverse-size
  web.adaptive-scheduler.rescale-history.size
list 104-: classloader.parent-first-patterns.additional classloader.parent-first-patterns.default@120<classloader.parent-first-patterns
  execution.job-listeners execution.program-config.wildcards filter.excludes filter.includes kubernetes.container.image.pull-secrets
  kubernetes.env.secretKeyRef kubernetes.jobmanager.owner.reference kubernetes.jobmanager.tolerations kubernetes.taskmanager.tolerations
  metrics.job.status.enable pipeline.cached-files pipeline.classpaths pipeline.jars pipeline.serialization-config
  plugin.classloader.parent-first-patterns.additional plugin.classloader.parent-first-patterns.default security.context.factory.classes
  security.kerberos.access.hadoopFileSystems@120<yarn.security.kerberos.additionalFileSystems security.module.factory.classes
  user.artifacts.artifact-list yarn.provided.lib.dirs yarn.security.appmaster.delegation.token.services yarn.ship-archives
  yarn.ship-files@120<yarn.ship-directories
list 104-200: pipeline.default-kryo-serializers pipeline.registered-kryo-types pipeline.registered-pojo-types
list 119-: state.backend.rocksdb.compression.per.level
list 200-: execution.batch.adaptive.stream-graph-optimization.strategies execution.job-status-changed-listeners
  state.backend.forst.compression.per.level
map 104-: high-availability.zookeeper.client.authorization kubernetes.internal-service.annotations kubernetes.jobmanager.annotations
  kubernetes.jobmanager.labels kubernetes.jobmanager.node-selector kubernetes.rest-service.annotations kubernetes.secrets
  kubernetes.taskmanager.annotations kubernetes.taskmanager.labels kubernetes.taskmanager.node-selector pipeline.global-job-parameters
  pipeline.jobvertex-parallelism-overrides scope.variables.additional taskmanager.memory.managed.consumer-weights
  user.artifacts.http-headers
map 200-: kubernetes.internal-service.labels kubernetes.persistent-volume-claims kubernetes.rest-service.labels
real 104-: jobmanager.memory.jvm-overhead.fraction kubernetes.jobmanager.cpu.amount@120<kubernetes.jobmanager.cpu
  kubernetes.jobmanager.cpu.limit-factor kubernetes.jobmanager.memory.limit-factor
  kubernetes.taskmanager.cpu.amount@120<kubernetes.taskmanager.cpu kubernetes.taskmanager.cpu.limit-factor
  kubernetes.taskmanager.memory.limit-factor
  pekko.client-socket-worker-pool.pool-size-factor@118<akka.client-socket-worker-pool.pool-size-factor
  pekko.fork-join-executor.parallelism-factor@118<akka.fork-join-executor.parallelism-factor
  pekko.remote-fork-join-executor.parallelism-factor
  pekko.server-socket-worker-pool.pool-size-factor@118<akka.server-socket-worker-pool.pool-size-factor
  resourcemanager.start-worker.max-failure-rate
  security.delegation.tokens.renewal.time-ratio@120<security.kerberos.tokens.renewal.time-ratio slotmanager.max-total-resource.cpu
  slotmanager.min-total-resource.cpu slow-task-detector.execution-time.baseline-multiplier slow-task-detector.execution-time.baseline-ratio
  state.backend.rocksdb.bloom-filter.bits-per-key taskmanager.cpu.cores
  taskmanager.memory.network.fraction@111<taskmanager.network.memory.fraction taskmanager.runtime.sort-spilling-threshold
real 110-: state.backend.rocksdb.memory.high-prio-pool-ratio state.backend.rocksdb.memory.write-buffer-ratio
  taskmanager.memory.jvm-overhead.fraction taskmanager.memory.managed.fraction
real 113-: restart-strategy.exponential-delay.backoff-multiplier restart-strategy.exponential-delay.jitter-factor
real 116-: state.backend.rocksdb.restore-overlap-fraction-threshold
real 120-: execution.checkpointing.file-merging.max-space-amplification
real 200-: state.backend.forst.bloom-filter.bits-per-key state.backend.forst.memory.high-prio-pool-ratio
  state.backend.forst.memory.write-buffer-ratio state.backend.forst.restore-overlap-fraction-threshold
size 104-: collect-sink.batch-size.max
  execution.batch.adaptive.auto-parallelism.avg-data-volume-per-task@120<jobmanager.adaptive-batch-scheduler.avg-data-volume-per-task
  execution.sort-keyed-partition.memory execution.sort-partition.memory execution.sorted-inputs.memory job-event.store.write-buffer.size
  jobmanager.memory.flink.size jobmanager.memory.jvm-metaspace.size jobmanager.memory.jvm-overhead.max jobmanager.memory.jvm-overhead.min
  jobmanager.memory.off-heap.size jobmanager.memory.process.size slotmanager.max-total-resource.memory slotmanager.min-total-resource.memory
  state.backend.rocksdb.block.metadata-blocksize state.backend.rocksdb.log.max-file-size
  state.backend.rocksdb.manual-compaction.max-file-size-to-compact state.backend.rocksdb.manual-compaction.max-output-file-size
  state.changelog.dstl.dfs.batch.persist-size-threshold@120<dstl.dfs.batch.persist-size-threshold
  state.changelog.dstl.dfs.upload.buffer-size@120<dstl.dfs.upload.buffer-size taskmanager.memory.flink.size
  taskmanager.memory.framework.heap.size taskmanager.memory.framework.off-heap.batch-shuffle.size taskmanager.memory.jvm-metaspace.size
  taskmanager.memory.jvm-overhead.max taskmanager.memory.jvm-overhead.min taskmanager.memory.network.min@111<taskmanager.network.memory.min
  taskmanager.memory.segment-size taskmanager.memory.task.heap.size taskmanager.system-out.log.cache-upper-size
size 104-200: jobmanager.heap.size taskmanager.heap.size
size 105-: execution.checkpointing.data-inline-threshold@120<state.backend.fs.memory-threshold<state.storage.fs.memory-threshold
  taskmanager.memory.network.max@111<taskmanager.network.memory.max
size 109-: state.backend.rocksdb.block.blocksize state.backend.rocksdb.block.cache-size
  state.backend.rocksdb.compaction.level.max-size-level-base state.backend.rocksdb.compaction.level.target-file-size-base
  state.backend.rocksdb.writebuffer.size
size 110-: state.backend.rocksdb.memory.fixed-per-slot taskmanager.memory.framework.off-heap.size
  taskmanager.memory.managed.size<taskmanager.memory.size taskmanager.memory.task.off-heap.size
size 111-: jobmanager.memory.heap.size state.backend.rocksdb.write-batch-size taskmanager.memory.process.size
size 114-: state.changelog.dstl.dfs.preemptive-persist-threshold@120<dstl.dfs.preemptive-persist-threshold
  state.changelog.dstl.dfs.upload.max-in-flight@120<dstl.dfs.upload.max-in-flight taskmanager.memory.min-segment-size
size 117-: state.backend.rocksdb.memory.fixed-per-tm
size 120-: execution.checkpointing.file-merging.max-file-size
size 200-: state.backend.forst.block.blocksize state.backend.forst.block.cache-size state.backend.forst.block.metadata-blocksize
  state.backend.forst.cache.reserve-size state.backend.forst.cache.size-based-limit state.backend.forst.compaction.level.max-size-level-base
  state.backend.forst.compaction.level.target-file-size-base state.backend.forst.log.max-file-size state.backend.forst.memory.fixed-per-slot
  state.backend.forst.memory.fixed-per-tm state.backend.forst.write-batch-size state.backend.forst.writebuffer.size
  taskmanager.memory.starting-segment-size
text 104-: blob.server.port blob.storage.directory classloader.resolve-order cleanup-strategy.type@120<cleanup-strategy env.hadoop.conf.dir
  env.hbase.conf.dir env.java.default-opts.all env.java.default-opts.jobmanager env.java.default-opts.taskmanager
  env.java.opts.all@120<env.java.opts env.java.opts.client env.java.opts.historyserver env.java.opts.jobmanager env.java.opts.sql-gateway
  env.java.opts.taskmanager env.log.dir env.log.level env.pid.dir env.ssh.opts env.yarn.conf.dir
  execution.checkpointing.dir@120<state.checkpoints.dir<state.backend.fs.checkpointdir
  execution.checkpointing.savepoint-dir@120<savepoints.state.backend.fs.dir<state.savepoints.dir execution.target factory.class
  high-availability.cluster-id<high-availability.zookeeper.path.namespace<recovery.zookeeper.path.namespace
  high-availability.jobmanager.port<recovery.jobmanager.port
  high-availability.storageDir<high-availability.zookeeper.storageDir<recovery.zookeeper.storageDir
  high-availability.type@117<recovery.mode<high-availability high-availability.zookeeper.client.acl
  high-availability.zookeeper.path.root<recovery.zookeeper.path.root high-availability.zookeeper.quorum<recovery.zookeeper.quorum
  historyserver.archive.fs.dir historyserver.log.jobmanager.url-pattern historyserver.log.taskmanager.url-pattern historyserver.web.address
  historyserver.web.tmpdir jmx.server.port job-result-store.storage-path jobmanager.archive.fs.dir jobmanager.bind-host
  jobmanager.execution.failover-strategy jobmanager.failure-enrichers jobmanager.resource-id jobmanager.rpc.address
  kubernetes.artifacts.local-upload-target kubernetes.client.user-agent kubernetes.cluster-id kubernetes.config.file
  kubernetes.container.image.ref@120<kubernetes.container.image kubernetes.context kubernetes.entry.path kubernetes.flink.conf.dir
  kubernetes.flink.log.dir kubernetes.hadoop.conf.config-map.name kubernetes.jobmanager.entrypoint.args
  kubernetes.jobmanager.service-account kubernetes.namespace kubernetes.node-name-label
  kubernetes.pod-template-file.default@120<kubernetes.pod-template-file
  kubernetes.pod-template-file.jobmanager@120<kubernetes.pod-template-file
  kubernetes.pod-template-file.taskmanager@120<kubernetes.pod-template-file kubernetes.service-account
  kubernetes.taskmanager.entrypoint.args kubernetes.taskmanager.service-account metrics.internal.query-service.port
  metrics.latency.granularity metrics.reporters metrics.scope.delimiter metrics.scope.jm metrics.scope.jm-job@120<metrics.scope.jm.job
  metrics.scope.jm-operator metrics.scope.operator metrics.scope.task metrics.scope.tm metrics.scope.tm-job@120<metrics.scope.tm.job
  partition.fields.#.date-formatter pekko.framesize@118<akka.framesize pipeline.name process.jobmanager.working-dir
  process.taskmanager.working-dir process.working-dir queryable-state.proxy.ports@120<query.proxy.ports
  queryable-state.server.ports@120<query.server.ports rest.address rest.bind-address@120<web.address<jobmanager.web.address
  rest.bind-port@120<web.port<jobmanager.web.port rest.path rest.profiling.dir rest.url-prefix scope.delimiter scope.variables.excludes
  security.kerberos.krb5-conf.path security.kerberos.login.contexts security.kerberos.login.keytab@120<security.keytab
  security.kerberos.login.principal@120<security.principal security.ssl.algorithms security.ssl.internal.cert.fingerprint
  security.ssl.internal.key-password security.ssl.internal.keystore security.ssl.internal.keystore-password
  security.ssl.internal.keystore-type security.ssl.internal.truststore security.ssl.internal.truststore-password
  security.ssl.internal.truststore-type security.ssl.key-password security.ssl.keystore security.ssl.keystore-password security.ssl.protocol
  security.ssl.provider security.ssl.rest.cert.fingerprint security.ssl.rest.key-password security.ssl.rest.keystore
  security.ssl.rest.keystore-password security.ssl.rest.keystore-type security.ssl.rest.truststore security.ssl.rest.truststore-password
  security.ssl.rest.truststore-type security.ssl.truststore security.ssl.truststore-password shuffle-service-factory.class
  state.backend.rocksdb.log.dir state.backend.type@117<state.backend
  state.changelog.dstl.dfs.upload.retry-policy@120<dstl.dfs.upload.retry-policy taskmanager.bind-host taskmanager.data.bind-port
  taskmanager.host taskmanager.log.path taskmanager.network.bind-policy
  taskmanager.network.hybrid-shuffle.external-remote-tier-factory.class taskmanager.network.hybrid-shuffle.remote.path
  taskmanager.resource-id taskmanager.rpc.port traces.reporters user.artifacts.base-dir
  web.access-control-allow-origin@120<jobmanager.web.access-control-allow-origin web.log.path@120<jobmanager.web.log.path
  web.tmpdir@120<jobmanager.web.tmpdir web.upload.dir@120<jobmanager.web.upload.dir yarn.application-master.port yarn.application.id
  yarn.application.name yarn.application.node-label yarn.application.queue yarn.application.type yarn.container-start-command-template
  yarn.flink-dist-jar yarn.modify.acls yarn.properties-file.location yarn.provided.usrlib.dir yarn.security.kerberos.localized-keytab-path
  yarn.staging-directory yarn.tags yarn.taskmanager.node-label yarn.view.acls zookeeper.sasl.login-context-name zookeeper.sasl.service-name
text 104-200: akka.watch.heartbeat.interval akka.watch.heartbeat.pause high-availability.job.delay@120<recovery.job.delay
  high-availability.zookeeper.path.running-registry jobmanager.web.address taskmanager.network.blocking-shuffle.type
  taskmanager.network.netty.transport@120<taskmanager.net.transport
text 105-: execution.checkpointing.local-backup.dirs@120<taskmanager.state.local.root-dirs fs.default-scheme
  io.tmp.dirs<taskmanager.tmp.dirs state.backend.rocksdb.localdir<state.backend.rocksdb.checkpointdir
text 109-: state.backend.rocksdb.options-factory state.backend.rocksdb.predefined-options
text 110-: execution.state-recovery.path@120<execution.savepoint.path restart-strategy.type@117<restart-strategy
text 111-: fs.allowed-fallback-filesystems
text 113-: execution.checkpointing.storage@120<state.checkpoint-storage
text 114-: state.changelog.dstl.dfs.base-path@120<dstl.dfs.base-path state.changelog.storage@120<state.backend.changelog.storage
text 120-: state.backend.forst.primary-dir@201<state.backend.forst.remote-dir
text 200-: application-result-store.storage-path cluster.id env.java.home events.reporters high-availability.zookeeper.path.applications
  high-availability.zookeeper.path.execution-plans<recovery.zookeeper.path.jobgraphs<high-availability.zookeeper.path.jobgraphs
  state.backend.forst.cache.dir state.backend.forst.local-dir state.backend.forst.log.dir state.backend.forst.options-factory
  yarn.rolled-logs.exclude-pattern yarn.rolled-logs.include-pattern
`;
