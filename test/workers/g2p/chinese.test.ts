/** Promise: Chinese is read with its numbers as a speaker says them, and in the phonemes of the voices. */
import { afterAll, describe, expect, test } from "bun:test";
import { cardinal, quantity, readChinese } from "../../../workers/g2p/chinese/numbers.ts";
import { syllable } from "../../../workers/g2p/chinese/syllables.ts";
import { kokoroIds } from "../../../workers/tts/kokoro/phonemes.ts";
import { openReader } from "./reader.ts";

const reader = openReader([]);
afterAll(() => reader.close());

const CASES: [written: string, read: string][] = [
  ["2025年", "二零二五年"],
  ["1990年代", "一九九零年代"],
  ["5年", "五年"],
  ["100年", "一百年"],
  ["2020-2025年", "二零二零到二零二五年"],
  ["2025年3月15日", "二零二五年三月十五日"],
  ["2025-03-05", "二零二五年三月五日"],
  ["2025/12/31", "二零二五年十二月三十一日"],
  ["2月2日", "二月二日"],
  ["50%", "百分之五十"],
  ["-3.5%", "负百分之三点五"],
  ["5%-10%", "百分之五到百分之十"],
  ["5-10%", "百分之五到百分之十"],
  ["3‰", "千分之三"],
  ["３５％", "百分之三十五"],
  ["-5", "负五"],
  ["气温-5℃到10℃", "气温负五摄氏度到十摄氏度"],
  ["20°C", "二十摄氏度"],
  ["68°F", "六十八华氏度"],
  ["15:30", "十五点三十分"],
  ["15：30", "十五点三十分"],
  ["8:05", "八点零五分"],
  ["15:00", "十五点"],
  ["2:30", "两点三十分"],
  ["15:30:20", "十五点三十分二十秒"],
  ["比分3:2", "比分三比二"],
  ["13812345678", "幺三八幺二三四五六七八"],
  ["138-1234-5678", "幺三八，幺二三四，五六七八"],
  ["010-12345678", "零幺零，幺二三四五六七八"],
  ["拨打110", "拨打幺幺零"],
  ["房间号：302", "房间号：三零二"],
  ["12345678", "幺二三四五六七八"],
  ["10000000", "一千万"],
  ["1234567元", "一百二十三万四千五百六十七元"],
  ["1,234,567", "一百二十三万四千五百六十七"],
  ["3.14", "三点一四"],
  ["0.05", "零点零五"],
  ["¥3.50", "三点五元"],
  ["￥100", "一百元"],
  ["$5万", "五万美元"],
  ["€1,000", "一千欧元"],
  ["3/4", "四分之三"],
  ["½", "二分之一"],
  ["1.2.3", "一点二点三"],
  ["5km", "五公里"],
  ["10 kg", "十公斤"],
  ["100km/h", "一百公里每小时"],
  ["3-5天", "三到五天"],
  ["2个", "两个"],
  ["2小时", "两小时"],
  ["2万", "两万"],
  ["第2个", "第二个"],
  ["12个", "十二个"],
  ["1+1=2", "一加一等于二"],
  ["007", "零零七"],
  ["A4", "A四"],
  ["今天25个", "今天二十五个"],
  ["没有数字。", "没有数字。"],
];

test.each(CASES)("%s is read as %s", (written, read) => {
  expect(readChinese(written).replace(/\d[\d,]*(?:\.\d+)?/g, quantity)).toBe(read);
});

test.each([
  ["0", "零"],
  ["10", "十"],
  ["15", "十五"],
  ["105", "一百零五"],
  ["110", "一百一十"],
  ["1005", "一千零五"],
  ["10005", "一万零五"],
  ["20000", "二万"],
  ["100000", "十万"],
  ["110000", "十一万"],
  ["1000500", "一百万零五百"],
  ["100000000", "一亿"],
  ["100010000", "一亿零一万"],
  ["1000000000000", "一万亿"],
])("the quantity %s is %s", (digits, reading) => expect(cardinal(digits)).toBe(reading));

describe("Chinese phonemes", () => {
  test.each([
    ["zhi1", "ꭧɨ→"],
    ["shi4", "ʂɨ↘"],
    ["nv3", "ny↓"],
    ["xue2", "ɕɥe↗"],
    ["yuan2", "ɥɛ↗n"],
    ["you3", "jou↓"],
    ["wang2", "wa↗ŋ"],
    ["weng1", "wə→ŋ"],
    ["er4", "ɚ↘"],
    ["qiong2", "ʨʰjʊ↗ŋ"],
    ["dui4", "twei↘"],
    ["ma0", "ma"],
    ["hm5", "hm5"],
  ])("of the syllable %s", (pinyin, reading) => expect(syllable(pinyin)).toBe(reading));

  test("are found word by word, with punctuation and numbers", async () => {
    expect(await reader.say("今天天气很好，我们有25个。", "cmn")).toBe(
      "ʨi→ntʰjɛ→n tʰjɛ→nʨʰi↘ xə↓nxau↓, wo↓mən jou↓ ɚ↘ʂɨ↗u↓ kɤ↘.",
    );
  });

  test("of every syllable are in the model's alphabet", () => {
    const initials = ["", ..."b p m f d t n l g k h j q x r z c s zh ch sh".split(" ")];
    const written =
      "a ai an ang ao e ei en eng i ia ian iang iao ie in ing iong iu ong ou u ua uai uan uang ui un uo ue".split(
        " ",
      );
    for (const initial of initials)
      for (const final of initial === ""
        ? ["a", "yi", "yue", "yuan", "you", "wu", "wo", "wen", "er"]
        : written) {
        const reading = syllable(`${initial}${final}1`);
        if (reading !== `${initial}${final}1`) expect(kokoroIds(reading)).toHaveLength([...reading].length);
      }
  });
});
