ALTER TABLE "credit_grant" ADD COLUMN "reason" text;--> statement-breakpoint
ALTER TABLE "credit_reversal" ADD COLUMN "reason" text;--> statement-breakpoint
CREATE INDEX "credit_reversal_by_grant" ON "credit_reversal" USING btree ("grant_id");