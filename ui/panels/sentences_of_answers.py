"""What is said of a written answer's sentences and of what supports them, in English and in Chinese."""

from __future__ import annotations

from ui.panels.sentences_of_files import Pair

SUPPORTED: tuple[Pair, ...] = (
    ("not checked: there is no source", "未核对：没有来源"),
    ("not checked: it says what the sources do not hold", "未核对：此句说的是来源中没有的内容"),
    ("not checked: it states nothing", "未核对：此句没有具体内容"),
    ("not checked: the source is in another language", "未核对：来源使用另一种语言"),
    ("not in the sources: {values:list}", "来源中没有：{values}"),
    ("the sources say this of something else: {values:list}", "来源中这些内容说的是别的事物：{values}"),
    ("it says “{said}” where the source says “{held}”", "此句说的是“{said}”，而来源说的是“{held}”"),
    ("it says “{said}”, and the source does not", "此句说了“{said}”，而来源没有说"),
    ("the source says “{held}”, and it does not", "来源说了“{held}”，而此句没有说"),
    (
        "no source says this: the nearest sentences hold {share:number} of it",
        "没有来源这样说：最接近的句子只含其中的 {share}",
    ),
    ("the model named no source; found by comparing words", "模型没有注明来源；此来源由词语比对找到"),
    ("the model named {named:list}, but this stands in {found:list}", "模型注明的是 {named}，但内容出自 {found}"),
)
