/** Fields of documented objects: each with its meaning. */
import Type, { type TSchema } from "typebox";

export const text = (description: string) => Type.String({ description });
export const whole = (description: string) => Type.Integer({ description });
export const number = (description: string) => Type.Number({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const names = (description: string) => Type.Array(Type.String(), { description });
export const oneOf = (values: readonly string[], description: string) =>
  ({ type: "string", enum: [...values], description }) as unknown as TSchema;
export const nullable = ({ description, ...schema }: TSchema & { description?: string }) =>
  Type.Union([schema as TSchema, Type.Null()], description === undefined ? {} : { description });
export const unixTime = (description: string) => whole(`${description}, in Unix seconds.`);
export const listOf = (name: string, description: string) =>
  Type.Object({
    object: Type.Literal("list"),
    data: Type.Array({ $ref: `#/components/schemas/${name}` } as TSchema, { description }),
  });
