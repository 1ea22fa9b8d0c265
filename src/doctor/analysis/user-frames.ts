/** Frames that belong to Flink, the JDK or a known library; what is left is the user's own code. */
const LIBRARY_FRAME =
  /^(?:org\.apache\.|java\.|javax\.|jdk\.|sun\.|com\.sun\.|scala\.|akka\.|org\.rocksdb\.|io\.netty\.|com\.esotericsoftware\.|com\.amazonaws\.|software\.amazon\.|com\.ververica\.|com\.alibaba\.|com\.aliyun|io\.debezium\.|com\.mysql\.|org\.postgresql\.|com\.starrocks\.|org\.elasticsearch\.|org\.opensearch\.|com\.mongodb\.|com\.google\.|com\.zaxxer\.|redis\.|okhttp3\.|org\.joda\.|com\.fasterxml\.|com\.github\.shyiko\.|org\.mariadb\.|oracle\.|com\.microsoft\.|com\.clickhouse\.|ru\.yandex\.|org\.springframework\.|kotlin\.|io\.lettuce\.|io\.confluent\.|shaded\.|\$Proxy|com\.facebook\.)/u;

export function isUserFrame(method: string): boolean {
  return (
    method.includes(".") &&
    !LIBRARY_FRAME.test(method) &&
    !/\$\$Lambda|Unknown/u.test(method.split(".").at(-2) ?? "")
  );
}
