"""Sentences as a model might write them, right and wrong, with the sources they were written from.

Half of them ("tuning") was looked at while the comparison was built; the other half ("held") only at the end. It found
then 53 of 60 wrong ones and marked 2 of 56 right ones. All texts are made up.
"""

from __future__ import annotations

from dataclasses import dataclass

import records as rec

from assistant.answer.support import supported
from assistant.trace import Passage, Sentence

WRONG = ("number", "date", "identifier", "unsupported", "negation", "swap")
RIGHT = ("quote", "paraphrase", "merged", "format", "row")


@dataclass(frozen=True)
class Planted:
    """One sentence. `named`: the source that the model names, counted from 1; 0 for none."""

    half: str
    language: str
    kind: str
    named: int
    text: str

    @property
    def wrong(self) -> bool:
        """Whether it must be marked."""
        return self.kind in WRONG


_SOURCES = {
    ("tuning", "en"): (
        (
            "Travel policy.md",
            ("Hotels",),
            "Hotels are reimbursed up to 180 euros per night in Germany and 240 euros in Switzerland. Breakfast is not "
            "included in this limit. Bookings must be made through the travel portal at least seven days before "
            "departure. Receipts have to be submitted within 30 days of the end of the trip; later claims are not "
            "paid.",
        ),
        (
            "Travel policy.md",
            ("Daily allowances",),
            "The following allowances apply from 1 January 2024:\n\n| Country | Full day | Half day |\n|---|---|---|\n"
            "| Germany | 28 € | 14 € |\n| France | 53 € | 36 € |\n| Japan | 66 € | 44 € |\n| Norway | 75 € | 50 € |\n",
        ),
        (
            "Pump manual.pdf",
            ("Faults",),
            "Error E-4207 means that the coolant is too hot. Switch the pump off, wait fifteen minutes and check "
            "the level in the tank. If the error appears again, replace sensor TS-12. Error E-4311 reports a "
            "blocked inlet filter; clean the filter with water, never with solvents. The pump may only be opened "
            "by trained staff.",
        ),
        (
            "Minutes 2023-05-03.docx",
            ("Decisions",),
            "The board met on May 3, 2023 in Leeds. Anna Keller presented the budget of 1.2 million pounds for "
            "the new warehouse. The board approved the budget with six votes to two. Construction starts in "
            "September 2023 and is led by Omar Haddad. The old warehouse in York will be closed, but no jobs "
            "will be lost.",
        ),
        (
            "Leave.md",
            ("Annual leave",),
            "Full-time employees have 25 days of annual leave. Unused leave lapses on 31 March of the following "
            "year. Up to five days may be carried over when the manager agrees in writing. During probation, which "
            "lasts six months, employees cannot take more than ten days at once.\n\n"
            "To ask for leave:\n\n1. Open the form LV-7 in the intranet.\n2. Enter the dates and a deputy.\n"
            "3. Send it to your manager two weeks in advance.\n",
        ),
    ),
    ("tuning", "zh"): (
        (
            "差旅管理办法.md",
            ("住宿",),
            "一线城市的住宿标准为每晚600元，其他城市为每晚450元。超出标准的部分由员工自行承担。出差申请应当至少提前三个工作日"
            "提交，经部门经理批准后方可预订。报销单须在返程后三十日内提交，逾期不予报销。",
        ),
        (
            "差旅管理办法.md",
            ("交通补贴",),
            "各级别的交通补贴如下：\n\n| 级别 | 每日补贴 | 可乘席别 |\n|---|---|---|\n| 总监 | 200元 | 商务座 |\n"
            "| 经理 | 150元 | 一等座 |\n| 员工 | 80元 | 二等座 |\n",
        ),
        (
            "水泵手册.pdf",
            ("故障代码",),
            "故障代码 E-4207 表示冷却液温度过高。此时应关闭水泵，等待十五分钟后检查水箱液位。如果再次报警，"
            "请更换温度传感器 TS-12。代码 E-4311 表示进水口滤网堵塞，可用清水冲洗滤网，不得使用溶剂。"
            "只有经过培训的人员才可以打开泵体。",
        ),
        (
            "董事会纪要.docx",
            ("决议",),
            "董事会于2023年5月3日在苏州召开会议。李静介绍了新仓库的预算，总额为1200万元。会议以六票赞成、两票反对通过了该预算。"
            "工程将于2023年9月开工，由王海峰负责。无锡的旧仓库将会关闭，但不会裁员。",
        ),
        (
            "休假制度.md",
            ("年假",),
            "正式员工每年享有15天年假。未休的年假应在次年3月31日前使用，过期作废。经部门经理书面同意，最多可以结转五天。"
            "试用期为六个月，试用期内的员工没有年假。\n\n申请步骤：\n\n"
            "1. 在内网打开表单 LV-7。\n2. 填写日期和代理人。\n3. 提前两周发给直属上级。\n",
        ),
    ),
    ("held", "en"): (
        (
            "Library rules.md",
            ("Borrowing",),
            "Members may borrow up to twelve books for 28 days. A loan can be renewed twice unless another reader "
            "has reserved the book. Overdue books cost 20 cents per day, at most 8 dollars per book. Reference "
            "works and newspapers are not lent out. Children under 14 need the signature of a parent.",
        ),
        (
            "Opening hours.html",
            ("Branches",),
            "| Branch | Weekdays | Saturday | Seats |\n|---|---|---|---|\n"
            "| Harbour | 9:00–19:00 | 10:00–16:00 | 140 |\n"
            "| Hillside | 10:00–18:00 | closed | 65 |\n| Old Town | 8:30–20:00 | 10:00–18:00 | 210 |\n",
        ),
        (
            "Router guide.pdf",
            ("Setup",),
            "Connect the grey cable to port WAN1 and open http://10.0.0.1 in a browser. The default password is "
            "printed under the device and must be changed at the first login. Firmware 4.2.1 fixes the fault "
            "NET_DROP_17, which interrupted calls longer than 40 minutes. The router does not support WPA1. Hold "
            "the reset button for ten seconds to restore the factory settings; all saved rules are deleted.",
        ),
        (
            "Annual report.pdf",
            ("Key figures",),
            "Revenue rose by 8.4 percent to 36.5 million dollars in 2022. The company employed 1,340 people on 31 "
            "December 2022, 95 more than a year earlier. Maria Lopes became head of sales on 15 June 2022, "
            "following Peter Brandt, who retired. The plant in Porto was sold to Nordwerk, and the plant in Ghent "
            "was enlarged by two halls. No dividend is paid for 2022.",
        ),
        (
            "Allotment.md",
            ("Members' duties",),
            "Each member looks after a plot of 200 square metres and gives eight hours of common work a year. "
            "Watering with drinking water is forbidden between noon and 5 pm. Bonfires are allowed only in October "
            "and November. Hedges must not be higher than 1.5 metres. The yearly fee of 96 pounds is due by 28 "
            "February.\n\nBring to the spring meeting:\n\n- your key with the number of the plot\n"
            "- the reading of the water meter\n- proof of insurance\n",
        ),
    ),
    ("held", "zh"): (
        (
            "图书馆规则.md",
            ("借阅",),
            "持证读者一次最多可借阅十二册图书，借期为28天。如无他人预约，可以续借两次。逾期图书每册每天收取0.2元滞纳金，最高不超过"
            "20元。工具书和报纸不外借。14岁以下的儿童办证需要家长签字。",
        ),
        (
            "开放时间.html",
            ("各分馆",),
            "| 分馆 | 工作日 | 周六 | 座位 |\n|---|---|---|---|\n| 滨江馆 | 9:00–19:00 | 10:00–16:00 | 140 |\n"
            "| 南山馆 | 10:00–18:00 | 闭馆 | 65 |\n| 老城馆 | 8:30–20:00 | 10:00–18:00 | 210 |\n",
        ),
        (
            "路由器说明书.pdf",
            ("安装",),
            "将灰色网线插入 WAN1 接口，然后在浏览器中打开 http://10.0.0.1。初始密码印在设备底部，首次登录时必须修改。"
            "固件 4.2.1 修复了故障 NET_DROP_17，该故障会中断超过40分钟的通话。本路由器不支持 WPA1。"
            "按住复位键十秒可恢复出厂设置，已保存的规则会全部删除。",
        ),
        (
            "年度报告.pdf",
            ("主要数据",),
            "2022年公司营业收入增长8.4%，达到3.65亿元。截至2022年12月31日，公司共有员工1340人，比上年增加95人。陈晓梅于2022年6月15日"
            "接替退休的赵国栋，出任销售总监。嘉兴工厂已出售给北辰集团，绍兴工厂扩建了两个车间。2022年度不分配股利。",
        ),
        (
            "社区菜园公约.md",
            ("成员义务",),
            "每位成员负责一块20平方米的菜地，每年参加八小时的公共劳动。中午12点至下午5点禁止用自来水浇灌。只有十月和十一月允许焚烧枯枝。"
            "篱笆的高度不得超过1.5米。年费96元，应在2月28日前缴纳。\n\n参加春季大会请携带：\n\n- 写有地块编号的钥匙\n"
            "- 水表读数\n- 保险证明\n",
        ),
    ),
}


def sources(half: str, language: str) -> tuple[Passage, ...]:
    """The sources of these sentences; number n is the n-th."""
    return tuple(
        rec.passage(f"{half}-{language}-{n}", text, document=name, heading=heading, language=language)
        for n, (name, heading, text) in enumerate(_SOURCES[half, language], 1)
    )


_TUNING_EN = """
quote 1 Breakfast is not included in this limit.
quote 3 Error E-4207 means that the coolant is too hot.
quote 4 The board approved the budget with six votes to two.
quote 5 Unused leave lapses on 31 March of the following year.
paraphrase 1 In Germany, hotel costs are reimbursed up to 180 euros a night.
paraphrase 1 You must book through the travel portal at least seven days before you depart.
paraphrase 3 If E-4207 appears again, sensor TS-12 has to be replaced.
paraphrase 3 Only trained staff may open the pump.
paraphrase 4 The construction, which Omar Haddad leads, begins in September 2023.
paraphrase 5 With written agreement of the manager, up to five days can be carried over.
paraphrase 1 Claims submitted later than 30 days after the trip are not paid.
paraphrase 3 Never use solvents to clean the inlet filter; use water.
paraphrase 4 No jobs will be lost although the old warehouse in York is closed.
paraphrase 5 The probation period lasts six months.
merged 1 Hotels in Germany are paid up to 180 euros, and receipts must be submitted within 30 days.
merged 4 The board met in Leeds and approved a budget of 1.2 million pounds for the new warehouse.
merged 5 Employees have 25 days of annual leave, which lapse on 31 March of the following year if unused.
merged 0 E-4207 stands for hot coolant, while E-4311 stands for a blocked inlet filter.
format 4 The budget for the new warehouse is 1,200,000 pounds.
format 4 The board met on 2023-05-03 in Leeds.
format 4 Six members voted for the budget and 2 against.
format 1 Bookings must be made 7 days before departure.
format 3 Wait 15 minutes and then check the level in the tank.
format 5 Unused leave lapses on March 31 of the following year.
row 2 The full-day allowance for Japan is 66 euros.
row 2 For France, the allowance is 53 € for a full day and 36 € for a half day.
row 2 Norway: 75 € (full day), 50 € (half day).
row 5 Open the form LV-7 in the intranet and enter the dates and a deputy.
number 1 Hotels in Germany are reimbursed up to 280 euros per night.
number 1 Receipts have to be submitted within 60 days of the end of the trip.
number 3 Switch the pump off and wait fifty minutes before you check the tank.
number 4 The budget for the new warehouse is 2.1 million pounds.
number 4 The board approved the budget with seven votes to two.
number 5 Full-time employees have 28 days of annual leave.
number 2 The full-day allowance for Norway is 85 euros.
number 1 Hotels are reimbursed up to 180 dollars per night in Germany.
date 4 The board met on May 13, 2023 in Leeds.
date 4 Construction starts in October 2023.
date 5 Unused leave lapses on 30 April of the following year.
date 2 The allowances apply from 1 January 2025.
identifier 3 If the error appears again, replace sensor TS-21.
identifier 3 Error E-4270 means that the coolant is too hot.
identifier 5 Open the form LV-9 in the intranet.
unsupported 1 Employees receive a company car after two years of service.
unsupported 3 The pump has a warranty of five years and can be returned to the dealer.
unsupported 4 The chairman thanked the staff for their commitment during the crisis.
unsupported 5 Sick leave must be reported before nine in the morning.
unsupported 1 First-class flights are booked for members of the management.
unsupported 3 The manufacturer recommends synthetic oil of the brand Luma for the bearings.
negation 1 Breakfast is included in this limit.
negation 1 Later claims are paid.
negation 4 The old warehouse in York will not be closed.
negation 3 The pump may be opened by untrained staff.
negation 4 The board did not approve the budget.
swap 2 The full-day allowance for Germany is 53 euros.
swap 1 Hotels in Switzerland are reimbursed up to 180 euros per night.
swap 4 Construction is led by Anna Keller.
swap 3 Error E-4311 means that the coolant is too hot.
"""

_TUNING_ZH = """
quote 1 超出标准的部分由员工自行承担。
quote 3 代码 E-4311 表示进水口滤网堵塞，可用清水冲洗滤网，不得使用溶剂。
quote 4 会议以六票赞成、两票反对通过了该预算。
quote 5 正式员工每年享有15天年假。
paraphrase 1 在一线城市住宿，每晚的标准是600元。
paraphrase 1 出差申请需要至少提前三个工作日提交，并由部门经理批准。
paraphrase 1 返程后三十日内必须提交报销单，逾期将不予报销。
paraphrase 3 出现 E-4207 时，说明冷却液温度过高。
paraphrase 3 只有受过培训的人员可以打开泵体。
paraphrase 3 清洗滤网时不得使用溶剂，可以用清水。
paraphrase 4 新仓库的工程由王海峰负责，2023年9月开工。
paraphrase 4 虽然无锡的旧仓库将关闭，但不会裁员。
paraphrase 5 经部门经理书面同意后，年假最多可结转五天。
paraphrase 5 试用期员工没有年假。
merged 1 一线城市住宿每晚600元，其他城市每晚450元，报销单须在返程后三十日内提交。
merged 4 董事会在苏州开会，并以六票赞成通过了1200万元的新仓库预算。
merged 5 员工每年有15天年假，未休的须在次年3月31日前使用。
merged 0 E-4207 表示冷却液温度过高，E-4311 表示滤网堵塞。
format 4 新仓库的预算总额为1,200万元。
format 4 新仓库的预算总额为12000000元。
format 4 董事会于二〇二三年五月三日在苏州召开会议。
format 5 正式员工每年享有十五天年假。
format 1 报销单须在返程后30日内提交。
format 3 关闭水泵，等待15分钟后检查水箱液位。
row 2 总监的每日交通补贴为200元，可乘商务座。
row 2 经理可以乘坐一等座，每日补贴150元。
row 2 员工：每日补贴80元，二等座。
row 5 在内网打开表单 LV-7，填写日期和代理人。
number 1 一线城市的住宿标准为每晚800元。
number 1 报销单须在返程后六十日内提交。
number 3 关闭水泵，等待五十分钟后检查水箱液位。
number 4 新仓库的预算总额为2100万元。
number 4 会议以七票赞成、两票反对通过了该预算。
number 5 正式员工每年享有20天年假。
number 2 经理的每日交通补贴为180元。
number 1 一线城市的住宿标准为每晚600美元。
date 4 董事会于2023年5月13日在苏州召开会议。
date 4 工程将于2023年10月开工。
date 5 未休的年假应在次年4月30日前使用。
date 4 会议于2022年5月3日召开。
identifier 3 如果再次报警，请更换温度传感器 TS-21。
identifier 3 故障代码 E-4270 表示冷却液温度过高。
identifier 5 在内网打开表单 LV-9。
unsupported 1 工作满两年的员工可以获得公司配车。
unsupported 3 水泵保修五年，可以退回经销商处理。
unsupported 4 董事长感谢全体职工在危机期间的付出。
unsupported 5 病假须在当天上午九点前向主管报告。
unsupported 1 公司高管可以预订头等舱机票。
unsupported 3 制造商建议轴承使用合成润滑油。
negation 1 超出标准的部分不由员工自行承担。
negation 1 逾期仍予报销。
negation 4 无锡的旧仓库不会关闭。
negation 5 试用期内的员工有年假。
negation 3 清洗滤网可以使用溶剂。
swap 2 员工的每日交通补贴为150元。
swap 1 其他城市的住宿标准为每晚600元。
swap 4 工程由李静负责。
swap 3 故障代码 E-4311 表示冷却液温度过高。
"""

_HELD_EN = """
quote 1 Reference works and newspapers are not lent out.
quote 3 The router does not support WPA1.
quote 4 Revenue rose by 8.4 percent to 36.5 million dollars in 2022.
quote 5 Hedges must not be higher than 1.5 metres.
paraphrase 1 You can renew a loan twice, as long as no other reader has reserved the book.
paraphrase 1 A parent has to sign for children younger than 14.
paraphrase 1 For overdue books, 20 cents are charged per day, up to 8 dollars for each book.
paraphrase 3 The default password, which is printed under the device, has to be changed when you log in first.
paraphrase 3 Holding the reset button for ten seconds restores the factory settings.
paraphrase 3 Firmware 4.2.1 solves the fault NET_DROP_17.
paraphrase 4 Peter Brandt retired and was followed by Maria Lopes as head of sales.
paraphrase 4 The company sold its plant in Porto to Nordwerk.
paraphrase 5 Bonfires may be lit only in October and November.
paraphrase 5 Every member has to do eight hours of common work per year.
merged 1 Up to twelve books can be borrowed for 28 days, and the loan can be renewed twice.
merged 4 In 2022 revenue rose to 36.5 million dollars, but no dividend is paid.
merged 5 The fee is 96 pounds a year, and each plot has 200 square metres.
merged 3 Connect the cable to WAN1, open http://10.0.0.1 and change the default password.
format 1 Members may borrow up to 12 books for four weeks or 28 days.
format 4 At the end of 2022, on 2022-12-31, the company employed 1340 people.
format 4 Revenue rose by 8.4% in 2022.
format 4 Maria Lopes became head of sales on June 15, 2022.
format 4 Revenue reached 36,500,000 dollars.
format 5 Watering with drinking water is forbidden from 12:00 to 17:00.
row 2 The Harbour branch is open from 9:00 to 19:00 on weekdays.
row 2 Hillside is closed on Saturday and has 65 seats.
row 2 Old Town: weekdays 8:30–20:00, Saturday 10 am to 6 pm.
row 5 Bring your key and the reading of the water meter to the spring meeting.
number 1 Members may borrow up to twenty books for 28 days.
number 1 Overdue books cost 50 cents per day.
number 3 Hold the reset button for thirty seconds to restore the factory settings.
number 4 Revenue rose by 4.8 percent to 36.5 million dollars in 2022.
number 4 The company employed 1,430 people on 31 December 2022.
number 5 Each member gives ten hours of common work a year.
number 2 The Hillside branch has 75 seats.
number 5 The yearly fee is 96 euros.
date 4 Maria Lopes became head of sales on 15 July 2022.
date 5 The yearly fee of 96 pounds is due by 31 March.
date 4 The company employed 1,340 people on 31 December 2021.
date 5 Bonfires are allowed only in October and December.
identifier 3 Firmware 4.1.2 fixes the fault NET_DROP_17.
identifier 3 Connect the grey cable to port WAN2.
identifier 3 The fault NET_DROP_71 interrupted long calls.
unsupported 1 The library offers free courses in bookbinding every winter.
unsupported 3 The router can be mounted on the ceiling with the enclosed bracket.
unsupported 4 The rise is mostly due to strong demand from hospitals in Asia.
unsupported 5 Dogs have to be kept on a lead within the gardens.
unsupported 1 Lost cards are replaced at the counter after showing a passport.
unsupported 2 The cafe in the basement serves warm meals for visitors.
negation 1 Reference works and newspapers are lent out.
negation 3 The router supports WPA1.
negation 4 A dividend is paid for 2022.
negation 5 Watering with drinking water is allowed between noon and 5 pm.
negation 3 The default password need not be changed at the first login.
swap 2 The Old Town branch has 140 seats.
swap 4 The plant in Ghent was sold to Nordwerk.
swap 4 Peter Brandt became head of sales on 15 June 2022.
swap 2 Hillside opens at 8:30 on weekdays.
"""

_HELD_ZH = """
quote 1 工具书和报纸不外借。
quote 3 本路由器不支持 WPA1。
quote 4 2022年度不分配股利。
quote 5 篱笆的高度不得超过1.5米。
paraphrase 1 如果没有他人预约，图书可以续借两次。
paraphrase 1 不满14岁的儿童办证时，需要由家长签字。
paraphrase 1 图书逾期，每册每天要交0.2元滞纳金，最多20元。
paraphrase 3 设备底部印有初始密码，第一次登录时必须修改。
paraphrase 3 要恢复出厂设置，请按住复位键十秒。
paraphrase 3 升级到固件 4.2.1 可以修复 NET_DROP_17 故障。
paraphrase 4 赵国栋退休后，销售总监由陈晓梅接任。
paraphrase 4 公司把嘉兴工厂出售给了北辰集团。
paraphrase 5 焚烧枯枝只允许在十月和十一月进行。
paraphrase 5 成员每年都要参加八小时公共劳动。
merged 1 读者最多可借十二册图书，借期28天，可以续借两次。
merged 4 2022年营业收入达到3.65亿元，但不分配股利。
merged 5 年费为96元，每块菜地20平方米。
merged 3 把网线插入 WAN1 接口，打开 http://10.0.0.1，并修改初始密码。
format 1 持证读者一次最多可借阅12册图书。
format 4 截至2022-12-31，公司共有员工1,340人。
format 4 2022年营业收入增长百分之八点四。
format 4 营业收入达到36500万元。
format 4 陈晓梅于二〇二二年六月十五日出任销售总监。
format 5 12:00至17:00禁止用自来水浇灌。
row 2 滨江馆工作日的开放时间为9:00至19:00。
row 2 南山馆周六闭馆，有65个座位。
row 2 老城馆：工作日8:30–20:00，周六上午10点至下午6点。
row 5 参加春季大会要带上写有地块编号的钥匙和水表读数。
number 1 持证读者一次最多可借阅二十册图书。
number 1 逾期图书每册每天收取0.5元滞纳金。
number 3 按住复位键三十秒可恢复出厂设置。
number 4 2022年公司营业收入增长4.8%。
number 4 公司共有员工1430人。
number 5 每位成员每年参加十小时的公共劳动。
number 2 南山馆有75个座位。
number 5 年费为96美元。
date 4 陈晓梅于2022年7月15日出任销售总监。
date 5 年费应在3月31日前缴纳。
date 4 截至2021年12月31日，公司共有员工1340人。
date 5 只有十月和十二月允许焚烧枯枝。
identifier 3 固件 4.1.2 修复了故障 NET_DROP_17。
identifier 3 将灰色网线插入 WAN2 接口。
identifier 3 故障 NET_DROP_71 会中断通话。
unsupported 1 图书馆每年冬天举办免费的装订课程。
unsupported 3 路由器可以用附带的支架安装在天花板上。
unsupported 4 增长主要来自亚洲各地医院的强劲需求。
unsupported 5 菜园里的狗必须拴好牵引绳。
unsupported 1 读者证遗失后可凭护照在服务台补办。
unsupported 2 地下一层的咖啡厅为访客供应热餐。
negation 1 工具书和报纸可以外借。
negation 3 本路由器支持 WPA1。
negation 4 2022年度分配股利。
negation 5 中午12点至下午5点允许用自来水浇灌。
negation 3 首次登录时不必修改初始密码。
swap 2 老城馆有140个座位。
swap 4 绍兴工厂已出售给北辰集团。
swap 4 赵国栋于2022年6月15日出任销售总监。
swap 2 南山馆工作日8:30开馆。
"""


def _read(half: str, language: str, lines: str) -> list[Planted]:
    parts = [line.split(" ", 2) for line in lines.strip().splitlines()]
    return [Planted(half, language, kind, int(named), text) for kind, named, text in parts]


PLANTED = (
    *_read("tuning", "en", _TUNING_EN),
    *_read("tuning", "zh", _TUNING_ZH),
    *_read("held", "en", _HELD_EN),
    *_read("held", "zh", _HELD_ZH),
)


def marked(half: str, language: str) -> list[tuple[Planted, Sentence]]:
    """Each planted sentence with what is said of it."""
    planted = [p for p in PLANTED if (p.half, p.language) == (half, language)]
    said = [Sentence(text=p.text, named=(p.named,) if p.named else ()) for p in planted]
    return list(zip(planted, supported(said, sources(half, language)), strict=True))
