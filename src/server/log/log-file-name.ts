/** Under which name the log that is kept in memory is listed. */
export const LOG_FILE_NAME = "cutwater.log";
