import type { CauseCode } from "../../cause-codes.ts";
import type { Article } from "../article.ts";

type Covered = Extract<
  CauseCode,
  | "kafka-transaction-coordinator-unavailable"
  | "sink-transaction-lost-at-restore"
  | "sink-lingering-transaction"
  | "sink-commit-conflict"
  | "duplicate-transactional-id-prefix"
  | "restore-operator-missing"
  | "restore-operator-ids-unstable"
  | "restore-operator-uid-changed"
  | "restore-max-parallelism-changed"
  | "restore-parallelism-above-max"
  | "restore-metadata-missing"
  | "restore-metadata-deleted-on-cancel"
  | "restore-metadata-corrupt"
  | "restore-metadata-truncated"
  | "restore-state-file-missing"
  | "restore-sst-missing"
  | "restore-external-files-expired"
  | "operator-state-growth-uid-reuse"
  | "unaligned-restore-bug"
  | "sink-table-metadata-conflict"
  | "cdc-restored-offset-incomplete"
  | "connector-restore-rescale-bug"
  | "restore-finished-operators-topology-changed"
  | "claim-native-savepoint-relative-path"
  | "restore-path-not-applied"
  | "checkpointing-not-enabled"
  | "checkpoint-path-shared-by-jobs"
  | "state-inlined-in-metadata"
  | "restart-strategy-not-configured"
  | "jvm-module-access-denied"
  | "kafka-producer-delivery-failed"
  | "source-position-purged"
  | "min-pause-limits-frequency"
  | "checkpoint-interval-shorter-than-duration"
  | "clock-skew"
  | "user-exception"
  | "benign-log-noise"
  | "healthy"
  | "undetermined"
>;

/** Articles, part 3 of 3, in Chinese. */
export const ARTICLES_ZH_3: Readonly<Record<Covered, Article>> = {
  "kafka-transaction-coordinator-unavailable": {
    title: "Kafka 事务协调器不可用",
    why: "broker 无法提供事务日志。",
    fix: "恢复 broker；检查该日志的副本与最小同步副本数。",
  },
  "sink-transaction-lost-at-restore": {
    title: "预提交的事务已不存在",
    why: "检查点里的事务在写出端已消失，数据无法提交。",
    fix: "保留时长应大于停机时间；接受一次缺口并补数。",
  },
  "sink-lingering-transaction": {
    title: "残留事务占住标签",
    why: "上一次尝试的事务没有中止，标签无法再用。",
    fix: "手动中止它；升级连接器。",
  },
  "sink-commit-conflict": {
    title: "提交时表已被改动",
    why: "另一个写入者，或比恢复状态更新的表，与提交冲突。",
    fix: "只留一个负责压实的写入者；恢复最新的检查点。",
  },
  "duplicate-transactional-id-prefix": {
    title: "两个作业共用事务 ID 前缀",
    why: "它们互相隔离对方的生产者。",
    fix: "每个作业用自己的前缀。",
  },
  "restore-operator-missing": {
    title: "程序里没有已存状态对应的算子",
    why: "状态存于某算子 ID 之下，而新程序没有它。",
    fix: "恢复该算子，或允许丢弃其状态。",
  },
  "restore-operator-ids-unstable": {
    title: "算子 ID 不稳定",
    why: "没有设置 uid()，ID 由程序结构推导，改动后就变了。",
    fix: "为每个有状态算子设置 uid()，不要跳过状态。",
  },
  "restore-operator-uid-changed": {
    title: "算子的 uid 被改名",
    why: "算子还在但 uid 变了，状态找不到它。",
    fix: "改回原来的 uid。",
  },
  "restore-max-parallelism-changed": {
    title: "最大并行度与存储的不同",
    why: "键组数量随状态固定。",
    fix: "使用存储的值，或不设置。",
  },
  "restore-parallelism-above-max": {
    title: "并行度超过存储的最大并行度",
    why: "键组数少于子任务数。",
    fix: "降低并行度；可用 State Processor API 重写状态。",
  },
  "restore-metadata-missing": {
    title: "检查点没有 _metadata",
    why: "它没有完成，或路径不对。",
    fix: "选用日志显示已完成的检查点。",
  },
  "restore-metadata-deleted-on-cancel": {
    title: "取消作业时检查点被删除",
    why: "保留策略在取消时删除检查点。",
    fix: "设为取消时保留，或先做保存点。",
  },
  "restore-metadata-corrupt": {
    title: "_metadata 无法读取",
    why: "文件在，但内容损坏或不是它。",
    fix: "恢复更早的检查点，或从备份还原。",
  },
  "restore-metadata-truncated": {
    title: "_metadata 不完整",
    why: "文件只写了或拷贝了一部分。",
    fix: "恢复更早的检查点，或重新拷贝。",
  },
  "restore-state-file-missing": {
    title: "状态文件丢失",
    why: "_metadata 指向的文件已不存在。",
    fix: "恢复更早的检查点；查明谁在删除。",
  },
  "restore-sst-missing": {
    title: "增量检查点的共享文件丢失",
    why: "shared/ 下的文件被删，依赖它的检查点都失效。",
    fix: "不要手工或用生命周期规则清理 shared/；恢复不依赖它的检查点。",
  },
  "restore-external-files-expired": {
    title: "状态引用的外部文件已被清理",
    why: "状态引用的表文件或未完成上传已被其他进程清理。",
    fix: "恢复更新的检查点；此类文件的保留应长于状态。",
  },
  "operator-state-growth-uid-reuse": {
    title: "算子状态不断增长",
    why: "新数据源沿用旧 uid，旧状态被带入并在每个检查点翻倍。",
    fix: "给新数据源新 uid，并一次性跳过旧状态。",
  },
  "unaligned-restore-bug": {
    title: "在途数据无法恢复",
    why: "Flink 恢复非对齐检查点的在途数据时失败（FLINK-38483）。",
    fix: "不带通道状态恢复（会丢这部分数据），或用对齐的；升级。",
  },
  "sink-table-metadata-conflict": {
    title: "表的时间线文件冲突",
    why: "作业重启时，表格式自己的文件已存在。",
    fix: "修复表时间线；统一锁提供者；升级。",
  },
  "cdc-restored-offset-incomplete": {
    title: "存储的位点不完整",
    why: "检查点里的位点缺少开头，服务器认为需要而已清理。",
    fix: "升级连接器；用完整位点启动。",
  },
  "connector-restore-rescale-bug": {
    title: "连接器无法启动没有状态的子任务",
    why: "扩缩容后部分子任务没有状态，连接器未处理。",
    fix: "用原并行度恢复；修复连接器。",
  },
  "restore-finished-operators-topology-changed": {
    title: "已结束的算子被放入另一条链",
    why: "部分结束的算子与仍在运行的算子链在一起。",
    fix: "保持原有链；或连同状态一起去掉结束的分支。",
  },
  "claim-native-savepoint-relative-path": {
    title: "认领的原生保存点被到错误目录里找",
    why: "后来的检查点按自己的目录引用保存点文件（FLINK-39964）。",
    fix: "直接恢复该保存点，或拷贝其文件。",
  },
  "restore-path-not-applied": {
    title: "恢复路径没有生效",
    why: "路径写在没人读取的地方，作业空启动。",
    fix: "提交时用 -s 或 -D；用 Operator 时修改 savepointRedeployNonce。",
  },
  "checkpointing-not-enabled": {
    title: "未开启检查点",
    why: "没有配置间隔，从不触发。",
    fix: "设置间隔。",
  },
  "checkpoint-path-shared-by-jobs": {
    title: "多个作业写同一目录",
    why: "它们使用相同的名字，互相覆盖或删除。",
    fix: "每个作业独立目录，或启用作业 ID 层级。",
  },
  "state-inlined-in-metadata": {
    title: "没有缺失：小状态写在 _metadata 内",
    why: "检查点都已完成。小于阈值的状态直接写进元数据，所以目录里没有别的文件，或看上去是空的。",
    fix: "无需修复；若想看到文件，可降低阈值。",
  },
  "restart-strategy-not-configured": {
    title: "没有重启策略",
    why: "虽有检查点，作业在首次失败时就结束。",
    fix: "配置重启策略。",
  },
  "jvm-module-access-denied": {
    title: "JVM 禁止反射访问",
    why: "缺少开放 JDK 模块的参数，Flink 自带配置里有。",
    fix: "沿用自带配置中的 env.java.opts。",
  },
  "kafka-producer-delivery-failed": {
    title: "Kafka 未接收记录",
    why: "检查点前的刷写失败：broker 未及时确认。",
    fix: "检查 broker 与网络，再看生产者超时。",
  },
  "source-position-purged": {
    title: "数据源已清理所需位点",
    why: "源系统删除了检查点要读取的日志。",
    fix: "日志保留应长于停机时间；为该源重新做全量。",
  },
  "min-pause-limits-frequency": {
    title: "检查点比间隔更稀疏",
    why: "每次之后的最小停顿长于间隔，以它为准。",
    fix: "缩短停顿，或接受该节奏。",
  },
  "checkpoint-interval-shorter-than-duration": {
    title: "单个检查点耗时超过间隔",
    why: "检查点首尾相接不停，但都能完成。",
    fix: "加长间隔、设置停顿，或用增量检查点。",
  },
  "clock-skew": {
    title: "时钟不一致",
    why: "某主机时钟偏差，导致签名、令牌或计时出错。",
    fix: "所有主机启用 NTP。",
  },
  "user-exception": {
    title: "作业因自身原因失败",
    why: "程序处理数据时抛出异常，进行中的检查点随之作废。",
    fix: "修复代码或其调用的服务。",
  },
  "benign-log-noise": {
    title: "吓人但无害的日志",
    why: "日志里有警告和错误，但检查点都完成了。",
    fix: "无需处理。",
  },
  healthy: {
    title: "一切正常",
    why: "检查点正常完成，没有失败。",
    fix: "无需处理。",
  },
  undetermined: {
    title: "现有证据无法判断",
    why: "有失败，但决定原因的证据不在输入中。",
    fix: "请提供下面列出的证据。",
  },
};
