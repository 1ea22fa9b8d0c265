import type { ReduceFunction } from "../operators/index.ts";

/** Names of the fields of a record that hold numbers. */
export type NumericField<T> = {
  [F in keyof T & string]: T[F] extends number ? F : never;
}[keyof T & string];

/** Names of the fields of a record that have an order. */
export type OrderedField<T> = {
  [F in keyof T & string]: T[F] extends number | string | bigint | boolean | Date ? F : never;
}[keyof T & string];

/** The first record, with the sum of the field over all. */
export function sumOf<T>(field: NumericField<T>): ReduceFunction<T> {
  return (accumulated, value) => ({
    ...accumulated,
    [field]: (accumulated[field] as number) + (value[field] as number),
  });
}

/** The first record, with the smallest value of the field. */
export function minOf<T>(field: OrderedField<T>): ReduceFunction<T> {
  return (accumulated, value) =>
    value[field] < accumulated[field] ? { ...accumulated, [field]: value[field] } : accumulated;
}

/** The first record, with the largest value of the field. */
export function maxOf<T>(field: OrderedField<T>): ReduceFunction<T> {
  return (accumulated, value) =>
    value[field] > accumulated[field] ? { ...accumulated, [field]: value[field] } : accumulated;
}

/** The record with the smallest value of the field; of equal ones the first. */
export function minByOf<T>(field: OrderedField<T>): ReduceFunction<T> {
  return (accumulated, value) => (value[field] < accumulated[field] ? value : accumulated);
}

/** The record with the largest value of the field; of equal ones the first. */
export function maxByOf<T>(field: OrderedField<T>): ReduceFunction<T> {
  return (accumulated, value) => (value[field] > accumulated[field] ? value : accumulated);
}
