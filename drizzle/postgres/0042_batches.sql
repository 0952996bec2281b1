CREATE TABLE "batch" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"key_id" text NOT NULL,
	"endpoint" text NOT NULL,
	"input_file_id" text NOT NULL,
	"output_file_id" text,
	"error_file_id" text,
	"metadata" text NOT NULL,
	"status" text NOT NULL,
	"lines" bigint DEFAULT 0 NOT NULL,
	"completed_lines" bigint DEFAULT 0 NOT NULL,
	"failed_lines" bigint DEFAULT 0 NOT NULL,
	"errors" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"in_progress_at" bigint,
	"finalizing_at" bigint,
	"cancelling_at" bigint,
	"ended_at" bigint
);
--> statement-breakpoint
CREATE TABLE "batch_line" (
	"batch_id" text NOT NULL,
	"line" bigint NOT NULL,
	"custom_id" text NOT NULL,
	"job_id" text,
	"refusal" text,
	CONSTRAINT "batch_line_batch_id_line_pk" PRIMARY KEY("batch_id","line")
);
--> statement-breakpoint
DROP INDEX "job_unfinished";--> statement-breakpoint
ALTER TABLE "job" ADD COLUMN "batch_id" text;--> statement-breakpoint
ALTER TABLE "batch" ADD CONSTRAINT "batch_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "batch_line" ADD CONSTRAINT "batch_line_batch_id_batch_id_fk" FOREIGN KEY ("batch_id") REFERENCES "public"."batch"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "batch_by_project" ON "batch" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "batch_by_organization" ON "batch" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "batch_ended" ON "batch" USING btree ("ended_at") WHERE ended_at is not null;--> statement-breakpoint
CREATE INDEX "batch_line_by_job" ON "batch_line" USING btree ("job_id");--> statement-breakpoint
CREATE INDEX "job_unfinished" ON "job" USING btree ("organization_id","status","batch_id") WHERE status in ('queued', 'in_progress');