import { type Rule, signature } from "../rule.ts";

const FILE_SYSTEM =
  /org\.apache\.hadoop\.(?:fs|hdfs)\.|S3AFileSystem|HadoopFileSystem|com\.amazonaws\.|fs\.s3|PluginFileSystem|fs\.osshadoop|aliyun\.oss/u;

/** Two copies of the file system's client meet. */
export const storageClasspathConflict: Rule = signature({
  code: "storage-classpath-conflict",
  clues: [
    { text: /Connection pool shut down/u, confidence: 0.93 },
    {
      text: /NoSuchMethodError|NoSuchFieldError|IllegalAccessError|AbstractMethodError|IncompatibleClassChangeError|VerifyError|LinkageError/u,
      frame: FILE_SYSTEM,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      noFrame: /hive/u,
      confidence: 0.9,
    },
    {
      text: /ClassCastException.*org\.apache\.hadoop|org\.apache\.hadoop\S+ cannot be cast to/u,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      confidence: 0.88,
    },
    {
      text: /ServiceConfigurationError: org\.apache\.hadoop\.fs\.FileSystem/u,
      roles: ["checkpoint", "task", "job", "restore", "report"],
      confidence: 0.85,
    },
  ],
});
