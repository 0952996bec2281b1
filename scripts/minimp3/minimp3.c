/* minimp3 for the decoder of uploads: one frame at a time, in buffers of its own. Built by build.ts. */
#define MINIMP3_IMPLEMENTATION
#define MINIMP3_NO_SIMD
#define MINIMP3_ONLY_MP3
#include "minimp3.h"

#define EXPORT(name) __attribute__((export_name(#name))) name
#define FRAME_BYTES_MAX 2048

static mp3dec_t decoder;
static mp3dec_frame_info_t info;
static uint8_t frame[FRAME_BYTES_MAX];
static mp3d_sample_t pcm[MINIMP3_MAX_SAMPLES_PER_FRAME];

uint8_t *EXPORT(frame_offset)(void) { return frame; }
int EXPORT(frame_bytes_max)(void) { return FRAME_BYTES_MAX; }
mp3d_sample_t *EXPORT(pcm_offset)(void) { return pcm; }

/* Samples of each channel in pcm, interleaved; 0 where the frame is damaged or needs an earlier one. */
int EXPORT(decode)(int frame_bytes) { return mp3dec_decode_frame(&decoder, frame, frame_bytes, pcm, &info); }

int EXPORT(channel_count)(void) { return info.channels; }
