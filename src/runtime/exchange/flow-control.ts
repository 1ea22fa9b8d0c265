/** Tells a task that an output has reached its bound; the task clears it once there is room. */
export interface FlowControl {
  isFull: boolean;
}
