CREATE TABLE "voucher" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"amount_micros" bigint NOT NULL,
	"days" integer,
	"created_by" text,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"redeemed_by" text,
	"redeemed_at" bigint,
	"voided_at" bigint,
	CONSTRAINT "voucher_hash_unique" UNIQUE("hash")
);
