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

/** Articles, part 2 of 3, in Chinese. */
export const ARTICLES_ZH_2: Readonly<Record<Covered, Article>> = {
  "disk-full": {
    title: "磁盘空间已满",
    why: "写状态的文件系统没有剩余空间。",
    fix: "释放或扩大该卷；减少保留的检查点。",
  },
  "checkpoint-timeout-large-state": {
    title: "状态太大，在超时内写不完",
    why: "异步阶段因数据量大而耗时，并随状态增长。",
    fix: "使用增量检查点，缩减状态（TTL），或延长超时。",
  },
  "checkpoint-timeout-slow-upload": {
    title: "上传到存储太慢",
    why: "屏障很快通过、状态也不大，但异步阶段在超时内结束不了。",
    fix: "查明从这些主机写存储为何慢；期间可延长超时。",
  },
  "state-exceeds-memory-limit": {
    title: "状态存到 JobManager 堆内存并超出上限",
    why: "没有生效的检查点存储，状态发往 JobManager，每份最多 5 MB。",
    fix: "配置文件系统存储；1.12 及以前仅设目录不够，还要设置状态后端。",
  },
  "rocksdb-localdir-no-hardlinks": {
    title: "RocksDB 本地目录不支持硬链接",
    why: "RocksDB 快照要硬链接文件，而该文件系统不支持。",
    fix: "把 RocksDB 目录放到本地磁盘。",
  },
  "local-recovery-cross-device-link": {
    title: "本地恢复目录与 RocksDB 不在同一设备",
    why: "本地副本用硬链接，无法跨设备。",
    fix: "把两个目录放到同一设备，或关闭本地恢复。",
  },
  "rocksdb-native-library-unloadable": {
    title: "无法加载 RocksDB 本地库",
    why: "该库与系统不匹配，或临时目录禁止执行。",
    fix: "换用匹配的系统、允许执行的临时目录，或改用堆后端。",
  },
  "non-deterministic-key": {
    title: "键的哈希值在收发两端不同",
    why: "键的 hashCode 在各 JVM 中不一致（枚举、数组、对象标识），记录到了不归它的子任务。",
    fix: "用字符串、数字或元组作键。",
  },
  "changelog-upload-timeout": {
    title: "状态变更日志上传超时",
    why: "每次写变更日志都在完成前被中断。",
    fix: "延长上传超时与次数，或检查存储。",
  },
  "restore-serializer-incompatible": {
    title: "新的序列化器读不了已存状态",
    why: "状态类型的变化超出了序列化器的兼容范围。",
    fix: "保持类型，用 State Processor API 迁移，或给算子新 uid。",
  },
  "not-serializable-state": {
    title: "状态无法序列化",
    why: "状态里的值（或其字段）的类型无法被序列化器写出。",
    fix: "状态里只放简单值，或为该类型提供序列化器。",
  },
  "kryo-concurrent-modification": {
    title: "状态对象在写出时被修改",
    why: "快照在后台写对象时，程序仍在修改它。",
    fix: "放入状态后不要再改该对象；应放副本。",
  },
  "kryo-unregistered-class": {
    title: "Kryo 注册顺序变化",
    why: "已存状态中的类编号不再对应原来的类。",
    fix: "按写入时相同的顺序注册相同的类。",
  },
  "restore-connector-state-format-changed": {
    title: "连接器的状态格式变了",
    why: "状态由另一个版本的连接器写出，当前版本读不了。",
    fix: "使用写出它的（或更新的）版本；或给该算子新 uid。",
  },
  "heap-oom": {
    title: "堆内存溢出",
    why: "堆已用尽，随后的失败（包括检查点）都是后果。",
    fix: "增大任务堆，或减小其中的缓冲与状态。",
  },
  "metaspace-oom": {
    title: "元空间耗尽",
    why: "类被不断加载，或作业需要的类超出空间。",
    fix: "找出类加载器泄漏；增大元空间。",
  },
  "container-oom-killed": {
    title: "进程因内存超限被杀",
    why: "内核或编排系统从外部终止（退出码 137），Java 来不及报告。",
    fix: "为堆外留出空间：增大进程内存与 JVM 开销，限制 RocksDB 内存。",
  },
  "rpc-framesize-exceeded": {
    title: "RPC 消息超过帧大小",
    why: "确认或部署消息过大而被丢弃，JobManager 只看到它没有来。",
    fix: "增大帧；让状态不走消息（文件存储、降低内联阈值）。",
  },
  "too-many-open-files": {
    title: "打开文件数过多",
    why: "达到进程打开文件数上限；RocksDB 与套接字需要很多。",
    fix: "提高上限（ulimit -n、LimitNOFILE），或限制 RocksDB 打开的文件数。",
  },
  "tm-heartbeat-timeout": {
    title: "TaskManager 心跳超时",
    why: "进程还在，但沉默超过心跳超时：被暂停、资源不足或网络中断。",
    fix: "检查该主机的 GC、CPU、交换与网络；必要时延长超时。",
  },
  "gc-pause": {
    title: "垃圾回收停顿过长",
    why: "进程因回收而停顿，屏障、确认与心跳都迟到。",
    fix: "增大堆，或减少堆上数据。",
  },
  "taskmanager-lost": {
    title: "TaskManager 丢失",
    why: "进程消失，现有证据看不出原因。",
    fix: "查退出码与内核日志；重启策略要撑过检测时间。",
  },
  "taskmanager-start-failed": {
    title: "TaskManager 启动失败",
    why: "进程在启动中退出，没有槽位，任务无法运行。",
    fix: "看它自己的原因，重新启动。",
  },
  "resources-insufficient-slots": {
    title: "槽位不足",
    why: "作业需要的槽位多于集群所有。",
    fix: "增加 TaskManager 或槽位，或降低并行度。",
  },
  "rocksdb-many-small-files": {
    title: "状态小文件过多",
    why: "成千上万的小文件让元数据、消息与删除都变重。",
    fix: "手动压实或文件合并（1.20 起），使用更大的文件。",
  },
  "ha-store-points-to-deleted-checkpoint": {
    title: "高可用记录指向已删除的检查点",
    why: "恢复所读的条目指向被删除的文件，JobManager 无法启动。",
    fix: "删除该条目，用路径从保留的检查点启动。",
  },
  "ha-data-cleaned-on-zk-suspend": {
    title: "ZooKeeper 暂停时高可用数据被清理",
    why: "连接中断使作业以未知状态结束，Flink 清掉了本可用来恢复的数据。",
    fix: "容忍连接暂停，升级（FLINK-25486），从最后保留的检查点手动恢复。",
  },
  "savepoint-client-timeout": {
    title: "客户端放弃等待，保存点仍在进行",
    why: "客户端超过自己的超时放弃，JobManager 之后完成了保存点。",
    fix: "延长等待，或触发后轮询。该保存点可用。",
  },
  "stop-with-savepoint-event-to-finished-task": {
    title: "保存点已完成，停止过程失败",
    why: "保存点成功后，作业在任务结束时失败。",
    fix: "用该保存点启动。",
  },
  "legacy-kafka-consumer-stop-with-savepoint": {
    title: "旧 Kafka 消费者在停止并做保存点时失败",
    why: "FlinkKafkaConsumer 在队列仍被读取时关闭它（FLINK-28758）。",
    fix: "改用 KafkaSource，或先做保存点再取消。",
  },
  "checkpoint-trigger-stuck-after-abort": {
    title: "检查点放弃后不再触发",
    why: "协调器以为触发仍在进行，再也不开始新的（FLINK-26394、FLINK-27148）。",
    fix: "让 JobManager 故障切换；升级。",
  },
  "restart-strategy-exhausted-before-resources": {
    title: "替补资源到来之前重启次数已用完",
    why: "每次重启都因缺槽位失败，最后一次早于新 TaskManager 到达。",
    fix: "增加次数与间隔，或用指数退避；从最后的检查点重新启动。",
  },
  "kafka-transaction-timeout": {
    title: "Kafka 事务在提交前超时",
    why: "两次提交之间（含重启）的时间超过事务寿命。",
    fix: "transaction.timeout.ms 应大于间隔、耗时与停机之和，且不超过 broker 上限。",
  },
  "kafka-producer-id-expired": {
    title: "Kafka 已遗忘生产者 ID",
    why: "检查点里的事务属于 broker 不再认识的 ID，每次恢复都会重放。",
    fix: "调大 transactional.id.expiration.ms；丢弃一次提交器状态（FLINK-39072）。",
  },
  "sink-transaction-timeout": {
    title: "写出端事务早于检查点超时",
    why: "写出系统会中止打开过久的事务。",
    fix: "让其时限大于检查点间隔，或更频繁地做检查点。",
  },
  "sink-label-reused-after-stateless-restart": {
    title: "标签被重复使用",
    why: "作业未带状态启动，从头计数，碰到写出端已见过的标签。",
    fix: "从最后的检查点启动，或更换标签前缀。",
  },
  "sink-coordinator-commit-blocked": {
    title: "写出端协调器仍在提交",
    why: "写入方等待协调器开启下一个 instant，而它还忙于上次提交。",
    fix: "加快提交（元数据、计划），或延长等待。",
  },
  "sink-commit-skipped-stale-max-checkpoint-id": {
    title: "提交被当作已完成而跳过",
    why: "表里存的检查点 ID 大于当前 ID，提交器认为都已提交。",
    fix: "恢复作业状态，或重置该 ID。",
  },
  "sink-commit-failed": {
    title: "检查点完成后提交失败",
    why: "检查点已完成，向外部系统提交时抛错，任务失败。",
    fix: "修复外部系统；在提交器内重试。",
  },
  "kafka-transaction-timeout-above-broker-max": {
    title: "事务超时超过 broker 上限",
    why: "生产者要求的事务时长超过 broker 允许值，无法启动。",
    fix: "降低 transaction.timeout.ms，或提高 transaction.max.timeout.ms。",
  },
  "kafka-empty-transaction-committable": {
    title: "空事务无法再次提交",
    why: "检查点里有一个从未写过记录的事务，每次恢复 Kafka 都拒绝提交（FLINK-31363）。",
    fix: "升级连接器；丢弃一次提交器状态。",
  },
  "kafka-producer-pool-exhausted": {
    title: "生产者池耗尽",
    why: "未完成的检查点占着各自的生产者。",
    fix: "查明其为何不完成；改用 KafkaSink。",
  },
};
