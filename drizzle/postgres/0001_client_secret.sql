CREATE TABLE "client_secret" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"session" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "client_secret" ADD CONSTRAINT "client_secret_key_id_api_key_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_key"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "client_secret_by_expiry" ON "client_secret" USING btree ("expires_at");