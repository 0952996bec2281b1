ALTER TABLE "request_log" ADD COLUMN "label" text;--> statement-breakpoint
CREATE INDEX "request_log_by_label" ON "request_log" USING btree ("organization_id","label","id") WHERE label is not null;