CREATE TABLE "file" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"purpose" text NOT NULL,
	"filename" text NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint
);
--> statement-breakpoint
CREATE TABLE "file_part" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"owner_id" text NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"bytes" bigint NOT NULL,
	"state" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "upload" (
	"id" text PRIMARY KEY NOT NULL,
	"organization_id" text NOT NULL,
	"project_id" text NOT NULL,
	"purpose" text NOT NULL,
	"filename" text NOT NULL,
	"bytes" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"mime_type" text NOT NULL,
	"status" text NOT NULL,
	"kept_seconds" bigint,
	"file_id" text,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "file" ADD CONSTRAINT "file_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "upload" ADD CONSTRAINT "upload_organization_id_organization_id_fk" FOREIGN KEY ("organization_id") REFERENCES "public"."organization"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "file_by_project" ON "file" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "file_expiring" ON "file" USING btree ("expires_at") WHERE expires_at is not null;--> statement-breakpoint
CREATE INDEX "file_part_by_owner" ON "file_part" USING btree ("owner_id","position");--> statement-breakpoint
CREATE INDEX "file_part_by_organization" ON "file_part" USING btree ("organization_id","bytes");--> statement-breakpoint
CREATE INDEX "file_part_unfinished" ON "file_part" USING btree ("created_at") WHERE state <> 'stored';--> statement-breakpoint
CREATE INDEX "upload_by_project" ON "upload" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "upload_pending" ON "upload" USING btree ("organization_id","expires_at") WHERE status = 'pending';