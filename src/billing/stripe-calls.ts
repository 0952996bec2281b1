/** How calls of the Stripe client fail, in this server's words. */
import Stripe from "stripe";
import { Refusal } from "../errors.ts";

/** For requests whose response is awaited. */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw faultOf(error);
  }
}

/** Null if the object does not exist. */
export async function nullIfMissing<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    const { StripeInvalidRequestError } = Stripe.errors;
    if (error instanceof StripeInvalidRequestError && error.code === "resource_missing") return null;
    throw faultOf(error);
  }
}

export async function* each<T>(pages: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* pages;
  } catch (error) {
    throw faultOf(error);
  }
}

/** A request that Stripe rejects as invalid is a bug; any other error may be temporary. */
export function faultOf(error: unknown): unknown {
  if (error instanceof Stripe.errors.StripeInvalidRequestError) return error;
  const message = "The payment service cannot be reached. Try again in a moment.";
  return new Refusal("service_unavailable", message, { retryAfterSeconds: 5, cause: error });
}
