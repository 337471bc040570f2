"""Texts about nothing in particular: what cosines look like when two texts have nothing to do with each other.

In a base of a few chunks "the average chunk" may be the answer itself; these stand beside it until the base is larger.
"""

from __future__ import annotations

FEW_CHUNKS = 200

TEXTS = (
    "Whisk the eggs with a pinch of salt and fold in the flour slowly. Bake the cake for forty minutes.",
    "The second half began with a corner kick, and the goalkeeper held the ball just before it crossed the line.",
    "A comet's tail always points away from the sun, because it is driven by light and by the solar wind.",
    "The tenant gives notice three months before the end of the lease and returns the keys on the last day.",
    "The violin section rests for eight bars while the oboe repeats the opening melody a third lower.",
    "Prune the roses in early spring and cut each stem just above a bud that faces outwards.",
    "先把豆腐切成小块，锅里放油烧热，加入葱姜爆香，再倒入少量酱油，小火煮十分钟即可出锅。",
    "下半场第三十分钟，客队利用角球机会头球破门，将比分扳平，主队随后换上两名前锋。",
    "彗星的尾巴总是背向太阳，因为它受到太阳光和太阳风的推动，离太阳越近就越长。",
    "承租人应当在租约到期前三个月书面通知出租人，并在最后一天归还全部钥匙。",
    "小提琴声部休止八小节，由双簧管以低三度重复开头的旋律，随后大提琴加入。",
    "早春时节修剪月季，从朝外的芽点上方约半厘米处斜剪，剪口要平滑，避免积水腐烂。",
)
