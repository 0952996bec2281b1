CREATE TABLE "job" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"key_id" text NOT NULL,
	"environment" text NOT NULL,
	"plan" text NOT NULL,
	"request_id" text NOT NULL,
	"kind" text NOT NULL,
	"model" text NOT NULL,
	"price_micros" bigint NOT NULL,
	"response_format" text NOT NULL,
	"reading" text NOT NULL,
	"metadata" text NOT NULL,
	"file_id" text,
	"url" "bytea",
	"bytes" bigint,
	"is_read_once" boolean DEFAULT false NOT NULL,
	"status" text NOT NULL,
	"samples" bigint,
	"done_samples" bigint DEFAULT 0 NOT NULL,
	"is_recognized" boolean DEFAULT false NOT NULL,
	"reserved_micros" bigint DEFAULT 0 NOT NULL,
	"cost_micros" bigint DEFAULT 0 NOT NULL,
	"error_code" text,
	"error_message" text,
	"warnings" text,
	"created_at" bigint NOT NULL,
	"started_at" bigint,
	"completed_at" bigint,
	"expires_at" bigint,
	"deleted_at" bigint
);
--> statement-breakpoint
CREATE TABLE "job_part" (
	"job_id" text NOT NULL,
	"kind" text NOT NULL,
	"position" bigint NOT NULL,
	"sealed" "bytea" NOT NULL,
	CONSTRAINT "job_part_job_id_kind_position_pk" PRIMARY KEY("job_id","kind","position")
);
--> statement-breakpoint
ALTER TABLE "file" ADD COLUMN "readers" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "job" ADD CONSTRAINT "job_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "job_part" ADD CONSTRAINT "job_part_job_id_job_id_fk" FOREIGN KEY ("job_id") REFERENCES "public"."job"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "job_by_project" ON "job" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "job_by_organization" ON "job" USING btree ("organization_id","id");--> statement-breakpoint
CREATE INDEX "job_unfinished" ON "job" USING btree ("organization_id","status") WHERE status in ('queued', 'in_progress');--> statement-breakpoint
CREATE INDEX "job_expiring" ON "job" USING btree ("expires_at") WHERE status = 'completed';--> statement-breakpoint
CREATE INDEX "job_ended" ON "job" USING btree ("completed_at") WHERE completed_at is not null;