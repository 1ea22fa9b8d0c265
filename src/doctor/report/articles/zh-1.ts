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

/** Articles, part 1 of 3, in Chinese. */
export const ARTICLES_ZH_1: Readonly<Record<Covered, Article>> = {
  "source-finished-blocks-trigger": {
    title: "任务结束后再也触发不了检查点",
    why: "某个任务已进入 FINISHED，而这个版本的 Flink 在有任务结束后不再做检查点，此后每次触发都被拒绝。",
    fix: "让数据源并行度不超过分区数，避免有界的旁路输入，或打开“任务结束后仍做检查点”（1.14 起可用，1.15 起默认打开）。",
  },
  "tasks-not-running-yet": {
    title: "任务启动期间的触发被跳过",
    why: "周期触发到来时还有任务在部署或初始化，Flink 会跳过这一次，到下个周期再试。",
    fix: "后续检查点能完成就无需处理；若持续数分钟，应查看任务为何到不了 RUNNING。",
  },
  "task-finished-during-trigger-race": {
    title: "任务在计划与触发之间结束",
    why: "协调器制定计划时任务还在运行，触发请求到达时任务已经结束。",
    fix: "偶发无害：容忍一次失败的检查点即可。",
  },
  "source-enumerator-snapshot-failed": {
    title: "数据源枚举器无法生成快照",
    why: "枚举器运行在 JobManager 上，其状态属于每个检查点；它的快照方法抛出异常或返回空。",
    fix: "修复或升级连接器；枚举器的集合只能在它自己的线程里修改。没有 Flink 配置可以绕过。",
  },
  "backpressure-slow-operator": {
    title: "屏障排在慢算子的数据后面",
    why: "算子处理不过来，输入队列积满，屏障在队列里等待；快照本身很快。",
    fix: "加快该算子或提高并行度；非对齐检查点或缓冲消胀可以先让屏障通过。",
  },
  "backpressure-slow-sink": {
    title: "屏障排在写出端来不及处理的数据后面",
    why: "写出端的外部系统比数据流慢，上游全部被反压，屏障迟到或根本到不了。",
    fix: "修复或扩容外部系统，改为批量或异步写出；其次再考虑非对齐检查点。",
  },
  "backpressure-data-skew": {
    title: "数据倾斜：一个子任务承担了大部分数据",
    why: "热点键让一个子任务一直繁忙而其余空闲，屏障卡在这一路；提高并行度没有用。",
    fix: "拆分热点键（加盐、两阶段聚合）；非对齐检查点可以让屏障超车。",
  },
  "alignment-limit-exceeded": {
    title: "对齐缓冲的数据超过上限",
    why: "对齐期间缓冲的字节数达到限制，检查点被放弃。",
    fix: "去掉该限制，或减小各输入之间的速度差。",
  },
  "unaligned-inflight-too-large": {
    title: "非对齐检查点写出的在途数据过多",
    why: "非对齐检查点要保存任务之间缓冲的数据，其大小超出了存储在超时内能写下的量。",
    fix: "缩小缓冲（缓冲消胀）、先对齐一段时间再切换，或延长超时。",
  },
  "unaligned-not-effective": {
    title: "已开启非对齐检查点，屏障仍然在对齐",
    why: "配置要求非对齐，但子任务报告的仍是对齐且对齐时间很长。",
    fix: "升级到修复该缺陷（FLINK-37870）的版本；在此之前按对齐模式的反压处理。",
  },
  "async-io-blocked": {
    title: "异步算子的队列已满",
    why: "外部请求得不到应答，异步算子队列占满，任务线程在等空位而不处理屏障。",
    fix: "给异步算子设置小于检查点超时的超时，调整容量，修复外部系统。",
  },
  "keyed-state-access-in-snapshotstate": {
    title: "在 snapshotState 中访问了键控状态",
    why: "做快照时没有当前键，不能读写键控状态。",
    fix: "键控状态只在 processElement 或定时器里访问；snapshotState 里用算子状态。",
  },
  "user-code-blocking-call": {
    title: "任务阻塞在用户代码的调用里",
    why: "任务线程停在用户代码的调用（数据库、HTTP、锁）中，处理不到屏障。",
    fix: "给调用加超时，或改用异步 I/O。",
  },
  "cdc-snapshot-holds-checkpoint": {
    title: "CDC 全量阶段占住检查点锁",
    why: "旧式 CDC 数据源在整个全量阶段持有检查点锁，结束前任何检查点都无法完成。",
    fix: "改用增量快照数据源；否则在全量完成前调大间隔、超时和容忍失败次数。",
  },
  "sink-flush-blocked-in-snapshotstate": {
    title: "写出端的 flush 一直不返回",
    why: "连接器在放行屏障前刷写并等待一个不会到来的应答，只有这个子任务没有确认。",
    fix: "重启以打破死锁，然后升级连接器。",
  },
  "snapshot-sync-slow-user-code": {
    title: "用户的 snapshotState 太慢",
    why: "同步阶段耗时长，因为用户的快照方法在做重活或等待。",
    fix: "把刷写移到别处或异步完成；snapshotState 里只交出状态。",
  },
  "user-exception-in-snapshotstate": {
    title: "用户的 snapshotState 抛出异常",
    why: "同步阶段的失败会直接让任务失败，与容忍失败次数无关。",
    fix: "修复其调用的服务或在内部重试；下面的异常来自它自身。",
  },
  "source-holds-checkpoint-lock": {
    title: "数据源长时间持有检查点锁",
    why: "旧接口的数据源一直占着锁，任务线程无法开始快照。",
    fix: "用小的同步块逐批发送，或改用新接口的数据源。",
  },
  "heap-timers-sync-snapshot": {
    title: "堆上的定时器在同步阶段写出",
    why: "RocksDB 配合堆定时器时，任务停下来写出全部定时器。",
    fix: "把定时器也放进 RocksDB。",
  },
  "snapshot-sync-stuck-native": {
    title: "快照卡在 RocksDB 本地代码里",
    why: "任务线程没有从 RocksDB 的本地调用返回。",
    fix: "重启 TaskManager；参见 FLINK-40200。",
  },
  "sink-async-service-terminated": {
    title: "连接器的后台服务已经结束",
    why: "连接器把任务交给已关闭的线程池，快照钩子因此每次都失败。",
    fix: "重启作业并升级连接器。",
  },
  "stale-user-classloader": {
    title: "残留了旧类加载器的类",
    why: "作业之外的静态缓存保留了上一次运行的类，同名类存在两份而互不兼容。",
    fix: "把该库放入 lib/ 或设为父加载优先；或改用应用模式。",
  },
  "storage-permission-denied": {
    title: "没有写入检查点目录的权限",
    why: "文件系统不允许运行 Flink 的用户创建或写入该目录。",
    fix: "把目录授权给该用户（chown、fsGroup、ACL），或换一个它拥有的目录。",
  },
  "storage-mount-misconfigured": {
    title: "目录在某些进程上不是挂载卷",
    why: "同一路径，一个进程写到共享卷，另一个写到自己的磁盘。",
    fix: "把同一个可写卷挂载到 JobManager 和每个 TaskManager。",
  },
  "storage-local-path-not-shared": {
    title: "检查点写在单机本地路径上",
    why: "检查点写到只有某台机器或容器才有的路径，换个地方重启就找不到文件。",
    fix: "使用所有进程共享的持久存储。",
  },
  "storage-filesystem-plugin-missing": {
    title: "缺少文件系统插件",
    why: "Flink 认识该路径的协议，但没有安装相应插件。",
    fix: "把插件 jar 放入 plugins/ 下的独立目录（镜像可用 ENABLE_BUILT_IN_PLUGINS）。",
  },
  "storage-hadoop-not-on-classpath": {
    title: "类路径上没有 Hadoop",
    why: "该路径需要 Hadoop 文件系统，但类路径里没有它的类。",
    fix: "为每个进程设置 HADOOP_CLASSPATH。",
  },
  "storage-classpath-conflict": {
    title: "文件系统客户端存在两份并冲突",
    why: "客户端的类来自两个 jar，一份关闭或缺少另一份需要的东西。",
    fix: "只保留 plugins/ 里的一份，把 lib/ 和作业 jar 里的去掉。",
  },
  "storage-read-only": {
    title: "存储变成只读",
    why: "目录之前可写，现在不能写：卷以只读方式挂载。",
    fix: "查内核日志找出重新挂载的原因，修复后重新挂载。",
  },
  "storage-unreachable": {
    title: "存储无法访问",
    why: "到存储端点的连接被拒绝或超时。",
    fix: "在报错的主机上检查端点、服务和网络。",
  },
  "storage-bucket-missing": {
    title: "存储桶不存在",
    why: "检查点路径中的桶（容器）不存在，或名称、区域不对。",
    fix: "创建该桶或更正路径。",
  },
  "hdfs-namenode-slow": {
    title: "NameNode 太慢，文件关不上",
    why: "DataNode 上报块太迟，客户端放弃关闭文件。",
    fix: "检查 NameNode 负载与 GC；增加客户端重试次数。",
  },
  "hdfs-slow-write": {
    title: "HDFS 关闭小文件也很慢",
    why: "状态很小，关闭文件却要几十秒：DataNode 卡顿。",
    fix: "检查 DataNode（磁盘、目录扫描、HDFS-14476）；期间可延长检查点超时。",
  },
  "hdfs-directory-item-limit": {
    title: "目录条目数达到 HDFS 上限",
    why: "目录里不能再创建文件；是哪个目录就说明为何填满。",
    fix: "清理它；若检查点落在高可用存储目录，请单独设置检查点目录。",
  },
  "hdfs-safe-mode": {
    title: "NameNode 处于安全模式",
    why: "HDFS 不接受写入：正在启动，或缺块、缺磁盘。",
    fix: "用 hdfs dfsadmin -report 查明原因后退出安全模式。",
  },
  "hdfs-quota-exceeded": {
    title: "目录配额用尽",
    why: "超过名称或空间配额，HDFS 拒绝写入。",
    fix: "提高配额或减少保留。",
  },
  "hdfs-namenode-standby": {
    title: "路径指向备用 NameNode",
    why: "地址写死了某台主机，而它已不是主节点。",
    fix: "改用名称服务（nameservice）地址。",
  },
  "hdfs-no-datanode-available": {
    title: "没有可用的 DataNode",
    why: "DataNode 全部下线、写满或从写入方无法访问。",
    fix: "检查 DataNode：是否在线、磁盘、与 TaskManager 的网络。",
  },
  "kerberos-delegation-token-expired": {
    title: "Kerberos 令牌已过期",
    why: "作业运行时间超过 HDFS 令牌有效期，且没有续期。",
    fix: "为 Flink 配置 keytab 与 principal 以自行续期（1.17 起更完善）。",
  },
  "s3-access-denied": {
    title: "对象存储拒绝访问凭证",
    why: "密钥、角色或策略不允许该请求，或已过期。",
    fix: "核对该进程实际使用的凭证以及桶策略。",
  },
  "s3-throttled": {
    title: "对象存储限流",
    why: "同一前缀的请求过多，存储返回 503。",
    fix: "用熵前缀打散文件，写更少更大的文件。",
  },
  "s3-connection-pool-exhausted": {
    title: "对象存储客户端连接池耗尽",
    why: "同时打开的流多于客户端允许的连接数。",
    fix: "连接数应大于槽位数乘以打开的流数；排查未关闭的流。",
  },
};
