// Scans a generated mixed log and prints MB/s of CPU time and the greatest memory: npm run build, then
// node bench/doctor-scan.mjs [gigabytes]
import { join, dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const dist = process.env.DIST ?? join(dirname(fileURLToPath(import.meta.url)), "../dist");
const { readEvidence } = await import(pathToFileURL(join(dist, "doctor/index.js")).href);
const { nodePlatform } = await import(pathToFileURL(join(dist, "base/index.js")).href);

const gigabytes = Number(process.argv[2] ?? 1);
const block = Buffer.from(mixedLog());
const copies = Math.ceil((gigabytes * 1e9) / block.length);

/** About a tenth of a percent of the lines are of Flink's checkpoints, some with stack traces; the rest is the user's. */
function mixedLog() {
  const lines = [];
  for (let index = 0; lines.length < 8000; index++) {
    const stamp = `2026-11-30 18:${String(Math.floor(index / 60) % 60).padStart(2, "0")}:${String(index % 60).padStart(2, "0")},${String(index % 1000).padStart(3, "0")}`;
    lines.push(
      `${stamp} INFO  com.example.shop.OrderService [] - order ${index * 7919} of customer ${index * 31}, ${index % 90} ms, items=[a${index},b${index}]`,
    );
    if (index % 500 === 0)
      lines.push(
        `${stamp} INFO  org.apache.flink.runtime.checkpoint.CheckpointCoordinator    [] - Triggering checkpoint ${index} (type=CheckpointType{name='Checkpoint', sharingFilesStrategy=FORWARD_BACKWARD}) @ 1 for job 00112233445566778899aabbccddeeff.`,
      );
    if (index % 2000 === 0)
      lines.push(
        `${stamp} WARN  com.example.shop.Payment [] - declined`,
        "java.io.IOException: no answer",
        "\tat com.example.shop.Payment.pay(Payment.java:10)",
      );
  }
  return `${lines.join("\n")}\n`;
}

async function* stream() {
  for (let index = 0; index < copies; index++) yield block;
}

const before = process.cpuUsage();
const evidence = await readEvidence(
  [{ kind: "stream", name: "mixed.log", chunks: stream() }],
  nodePlatform(),
);
const used = process.cpuUsage(before);
const peakBytes = process.resourceUsage().maxRSS * 1024;
const seconds = (used.user + used.system) / 1e6;
const bytes = block.length * copies;
console.log(
  `${(bytes / 1e6).toFixed(0)} MB in ${seconds.toFixed(2)} s of CPU: ${(bytes / 1e6 / seconds).toFixed(0)} MB/s, ${Math.round(peakBytes / 1e6)} MB of memory, ${evidence.events.length} records kept`,
);
