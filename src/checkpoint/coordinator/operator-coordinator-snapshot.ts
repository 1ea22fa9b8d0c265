/**
 * A part of an operator that lives beside the coordinator, such as a source's enumerator, and whose state is in each checkpoint.
 *
 * @remarks
 * Its state and that of its subtasks must be of one cut. So between {@link checkpointCoordinator} and {@link openValve} it holds back
 * the events that it would send to its subtasks (splits, for example): events sent before reach a subtask before the trigger, events
 * sent after reach it after. The valve is opened once for each checkpoint, also if it is aborted before it was sent; several may be closed at once, and
 * the events wait for the last. Source: Flink `OperatorCoordinatorHolder`.
 */
export interface OperatorCoordinatorSnapshot {
  readonly operatorId: string;
  /** Closes the valve and gives the state of this moment. A rejection fails the checkpoint with TRIGGER_CHECKPOINT_FAILURE. */
  checkpointCoordinator(checkpointId: number): Promise<Uint8Array> | Uint8Array;
  /** The trigger has gone out to the tasks, or never will: held events may go. */
  openValve(checkpointId: number): void;
  notifyCheckpointComplete(checkpointId: number): void;
  notifyCheckpointAborted(checkpointId: number): void;
}
