ALTER TABLE "file_part" ADD COLUMN "also_of" text;--> statement-breakpoint
CREATE INDEX "file_part_also_of" ON "file_part" USING btree ("also_of") WHERE also_of is not null;