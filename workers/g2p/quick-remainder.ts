/**
 * A remainder of eSpeak NG without a division: it takes one by 2³¹ - 1 for each sample of noise. Its package is WebAssembly
 * translated to JavaScript, which has no integers of 64 bits and divides bit by bit, half of the time of a voice that breathes.
 *
 *   b·2³² + a  =  x·2³¹ + y,  which leaves what x + y leaves       (a and b have 32 bits, y has 31)
 *
 * The code is changed as it is loaded, and the package stays as it is. If its text were another one, it would be slow again.
 */

/** The first instruction of the function, whose parameters are `a` and `b`. `ua` is the upper half of what it returns. */
const text = "{Bg(a,b,2147483647);";

/** The sum has 32 bits where b has 30: every number that eSpeak NG draws. */
const by = `{
  if (b >>> 0 < 1073741824) {
    var sum = ((b << 1) | (a >>> 31)) + (a & 2147483647) | 0;
    sum = (sum & 2147483647) + (sum >>> 31);
    ua = 0;
    return sum >= 2147483647 ? sum - 2147483647 : sum;
  }
  Bg(a,b,2147483647);`;

export const QUICK_REMAINDER = { text, by };
