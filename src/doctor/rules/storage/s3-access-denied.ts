import { type Rule, signature } from "../rule.ts";

const STORE =
  /s3|amazon|aws|oss|aliyun|gcs|google|azure|abfs|wasb|minio|bucket|SdkClient|StorageException/iu;

/** The object store refuses the credentials. */
export const s3AccessDenied: Rule = signature({
  code: "s3-access-denied",
  clues: [
    {
      text: /InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|The security token included in the request is (?:expired|invalid)|The AWS Access Key Id you provided|NoAuthWithAWSException|NoAwsCredentialsException|No AWS Credentials provided|Unable to load (?:AWS )?credentials from/u,
      not: /RequestTimeTooSkewed/u,
      roles: ["checkpoint", "task", "job", "restore", "report", "trouble"],
      confidence: 0.96,
    },
    {
      text: /Status Code: 403|Error Code: (?:AccessDenied|403)|\bAccessDenied\b|403 Forbidden|AuthorizationPermissionMismatch|AuthorizationFailure|does not have storage\.objects?\.\w+ access|Access Denied/u,
      and: STORE,
      not: /RequestTimeTooSkewed|kinesis|dynamodb|kafka/iu,
      roles: ["checkpoint", "task", "job", "restore", "report", "trouble"],
      confidence: 0.95,
    },
    {
      text: /AccessDeniedException: (?:s3[anp]?|oss|gs|abfss?|cos|obs):\/\//u,
      not: /RequestTimeTooSkewed/u,
      confidence: 0.95,
    },
  ],
  remedies: ["s3.access-key", "s3.secret-key", "s3.endpoint", "fs.s3a.aws.credentials.provider"],
});
