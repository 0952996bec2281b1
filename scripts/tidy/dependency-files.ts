/** The files in which each dependency may be imported: one, or the folder whose matter it is. */

export const DEPENDENCY_FILES: [RegExp, RegExp][] = [
  [
    /^(elysia|@elysiajs\/.*)$/,
    /^(src\/(server\/app\.ts|engine-nodes\/engines-route\.ts|api\/)|bench\/floors\/)/,
  ],
  [
    /^(drizzle-orm.*|better-sqlite3|pg)$/,
    /^(src\/(db\/|audit\/|alerts\/|accounts\/|identity\/|billing\/|deletion\/|(ledger|limits)\/((sqlite|postgres)(-saving|-alerts)?|audit|statement-rows)\.ts)|bench\/)/,
  ],
  [/^@commander-js\/extra-typings$/, /^src\/cli\//],
  [/^@homebridge\/ciao$/, /^src\/wyoming\/announcement\.ts$/],
  [/^ioredis$/, /^src\/limits\/redis\.ts$/],
  [/^piscina$/, /^(src\/engine\/threads\/thread-pool\.ts|workers\/)/],
  [/^onnxruntime-node$/, /^(workers\/onnx|bench)\//],
  [/^node-av/, /^(workers|test|bench)\//],
  [/^opus-decoder$/, /^workers\/media\/ogg\/opus-stream\.ts$/],
  [/^ogv\//, /^workers\/media\/ogg\/vorbis-stream\.ts$/],
  [
    /^typebox/,
    /^src\/(schema\.ts|restrictions\.ts|budget-use\.ts|spend-alert-fields\.ts|backup\/backup-manifest\.ts|models\/(aliases|conversation|manifest|packages\/package|signature\/signature)\.ts|engine\/families\/(families|family|family-options|json-file|piper-voice)\.ts|engine\/remote\/messages\.ts|upstreams\/(definition|dialects\/preset)\.ts|api\/)|^workers\/((asr|tts)\/\w+\/(settings|config|bundle)|tts\/pocket\/(vocabulary|safetensors))\.ts$/,
  ],
  [/^stripe$/, /^src\/billing\/stripe(-calls|-invoices)?\.ts$/],
  [/^better-auth/, /^src\/identity\/better-auth(-plugins)?\.ts$/],
  [/^@opentelemetry\//, /^src\/tracing\//],
  [/^prom-client/, /^src\/metrics\/(metrics|prom-client\.d)\.ts$/],
  [/^(linkedom|@mozilla\/readability)$/, /^workers\/documents\/web-article\.ts$/],
  [/^htmlparser2$/, /^workers\/documents\//],
  [/^nodemailer$/, /^src\/identity\/mail\.ts$/],
  [/^use-intl/, /^src\/web\/language\/texts\.ts$/],
  [/^(react|react-dom|wouter|uplot|uqr|@tanstack\/.*)(\/|$)/, /^src\/web\//],
];
