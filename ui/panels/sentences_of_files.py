"""What the records say about files, in English and in Chinese; ui/panels/sentences.py explains the patterns."""

from __future__ import annotations

Pair = tuple[str, str]

ADDED: tuple[Pair, ...] = (
    ("{reason:reason} Answers still come from version {n:number}.", "{reason}答案仍来自第 {n} 版。"),
    ("It was stopped before it was finished; the next scan reads it.", "尚未完成即已停止；下次扫描时读取。"),
    ("It was deleted while it was read.", "读取时已被移除。"),
    ("{name}: same content as {other}; added as a second name.", "{name}：内容与 {other} 相同；作为另一名称加入。"),
    (
        "There is nothing at this path; check its spelling and whether the disk is in.",
        "该路径下没有内容；请检查拼写，并确认磁盘已连接。",
    ),
    (
        "The folder {folder} could not be opened; what is known of its files stays as it is.",
        "无法打开文件夹 {folder}；其中文件的已有内容保持不变。",
    ),
    ("it is not a regular file", "不是普通文件"),
    ("it is a link", "是链接"),
    ("it is a link that leads nowhere", "是失效的链接"),
    ("its name or its folder's is not valid Unicode", "文件名或所在文件夹的名称不是有效的 Unicode"),
    ("files of type '(no ending)' are not read", "不读取没有扩展名的文件"),
    ("files of type '{ending}' are not read", "不读取 {ending} 类型的文件"),
    (
        "The upload cannot be kept in {folder} ({why}); make room and add it again.",
        "无法将上传的文件保存到 {folder}（{why}）；请腾出空间后重新添加。",
    ),
    # pages of a PDF: one sentence for each trouble, several joined by "; "
    ("{first:page}; {rest:reason}", "{first}{rest}"),
    (
        "{s:Pages?} {pages:list} {have:has|have} no text: pictures that need OCR.",
        "第 {pages} 页没有文字：图片需要 OCR。",
    ),
    ("{s:Pages?} {pages:list} {have:has|have} no text: they cannot be opened.", "第 {pages} 页没有文字：无法打开。"),
    ("{s:Pages?} {pages:list} {have:has|have} no text that OCR can read.", "第 {pages} 页没有 OCR 能识别的文字。"),
    (
        "{s:Pages?} {pages:list} {have:has|have} no text: they cannot be drawn for OCR.",
        "第 {pages} 页没有文字：无法绘制成图片供 OCR 识别。",
    ),
    (
        "{s:Pages?} {pages:list} {have:has|have} no text: pictures too large for OCR.",
        "第 {pages} 页没有文字：图片过大，无法 OCR。",
    ),
    (
        "{s:Pages?} {pages:list} {have:has|have} not been read, because OCR took too long.",
        "第 {pages} 页因 OCR 超时而未读。",
    ),
    # what hangs on an e-mail
    ("In {part}: {said:reason}", "{part} 中：{said}"),
    ("Messages attached more than {n:number} deep have not been read.", "嵌套超过 {n} 层的邮件未读取。"),
    ("The attachments after number {n:number} have not been read.", "第 {n} 个之后的附件未读取。"),
    ("The text was recognised from a picture and may hold errors.", "文字由图片识别而来，可能有误。"),
    (
        "{s:Pages?} {pages:list} {have:has|have} an unreadable text layer (wrong letters) and were left out.",
        "第 {pages} 页的文字层无法识别（乱码），已略去。",
    ),
    (
        "{s:Pages?} {pages:list} {have:has|have} not been read, because reading took too long.",
        "第 {pages} 页因读取超时而未读。",
    ),
    (
        "{s:Pages?} {pages:list}: the text was recognised from a picture and may hold errors.",
        "第 {pages} 页的文字由图片识别而来，可能有误。",
    ),
    # presentations, notebooks, workbooks
    ("{s:Slides?} {pages:list}: hidden in the presentation, and read.", "第 {pages} 张幻灯片是隐藏的，已读取。"),
    ("{s:Slides?} {pages:list}: without text: pictures that need OCR.", "第 {pages} 张幻灯片没有文字：图片需要 OCR。"),
    ("{s:Slides?} {pages:list}: with an object that cannot be read.", "第 {pages} 张幻灯片中有无法读取的对象。"),
    (
        "Outputs were cut to {limit:number} characters each: {n:number}.",
        "有 {n} 处输出过长，各截取前 {limit} 个字符。",
    ),
    ("Hidden sheets were left out: {names}.", "已略去隐藏的工作表：{names}。"),
    ("Sheet {name}: damaged, only its first rows could be read.", "工作表“{name}”已损坏，只读取了前面的行。"),
    (
        "Sheet {name}: 1 formula was never calculated: open the file in Excel and save it.",
        "工作表“{name}”：有 1 个公式从未计算；请用 Excel 打开并保存该文件。",
    ),
    (
        "Sheet {name}: {n:number} formulas were never calculated: open the file in Excel and save it.",
        "工作表“{name}”：有 {n} 个公式从未计算；请用 Excel 打开并保存该文件。",
    ),
)

UNREADABLE: tuple[Pair, ...] = (
    (
        "{name} is protected by a password; remove it and add the file again.",
        "{name} 受密码保护；请去除密码后重新添加。",
    ),
    (
        "{name} is protected by a password; save a copy without it and add that.",
        "{name} 受密码保护；请另存一份不带密码的副本再添加。",
    ),
    (
        "{name} consists of pictures of pages; recognise the text with an OCR program first.",
        "{name} 只有页面图片；请先用 OCR 程序识别文字。",
    ),
    (
        "{name} consists of pictures of pages; set reading.ocr = true to read them.",
        "{name} 只有页面图片；请设置 reading.ocr = true 以识别文字。",
    ),
    (
        "{name} consists of pictures of pages, and OCR took longer than {limit}; raise it.",
        "{name} 只有页面图片，而 OCR 的时间超过 {limit}；请调高该设置。",
    ),
    (
        "{name} consists of pictures of pages in which OCR finds no legible text; scan it again at 300 dpi.",
        "{name} 只有页面图片，OCR 未能从中识别出文字；请以 300 dpi 重新扫描。",
    ),
    (
        "{name} holds pictures that are too large to unpack; make them smaller.",
        "{name} 中的图片过大，无法解压；请缩小图片。",
    ),
    (
        "{name} has a text layer that is not readable (wrong letters); set reading.ocr = true.",
        "{name} 的文字层无法识别（乱码）；请设置 reading.ocr = true。",
    ),
    (
        "{name} is a picture; set reading.ocr = true to read the text in it.",
        "{name} 是图片；请设置 reading.ocr = true 以识别其中的文字。",
    ),
    (
        "{name} is a picture in which OCR finds no legible text; if there is text in it, add a larger picture.",
        "{name} 是图片，OCR 未能从中识别出文字；如果其中有文字，请添加更大的图片。",
    ),
    (
        "{name} has {width:number} × {height:number} pixels, too many for OCR; make it smaller.",
        "{name} 有 {width} × {height} 像素，超过 OCR 的限制；请缩小图片。",
    ),
    ("{name} took OCR longer than {limit}; raise it.", "{name} 的 OCR 时间超过 {limit}；请调高该设置。"),
    ("{name} cannot be read as a picture; save it again as PNG.", "无法按图片读取 {name}；请重新保存为 PNG。"),
    ("{name} is empty; there is nothing to index.", "{name} 是空文件；没有可索引的内容。"),
    ("{name} holds no text; there is nothing to index.", "{name} 没有文字；没有可索引的内容。"),
    ("{name} has pages but no text on them; there is nothing to index.", "{name} 的页面上没有文字；没有可索引的内容。"),
    (
        "{name} holds no text that can be indexed; look at it in its own program.",
        "{name} 没有可索引的文字；请用原程序打开查看。",
    ),
    ("{name} is a folder; add the files in it.", "{name} 是文件夹；请添加其中的文件。"),
    (
        "{name} has {n:number} MB, more than {limit}; raise it or split it.",
        "{name} 有 {n} MB，超过 {limit}；请调高该设置或拆分文件。",
    ),
    ("{name} is not there any more; scan the folder again.", "{name} 已不存在；请重新扫描文件夹。"),
    ("{name} may not be opened by this user; change its permissions.", "当前用户无权打开 {name}；请修改其权限。"),
    ("{name} cannot be opened ({why}); check the disk.", "无法打开 {name}（{why}）；请检查磁盘。"),
    (
        "{name} is {what:reason}, which is not read; save it as PDF, Word or text, and add that.",
        "{name} 是{what}，不支持读取；请另存为 PDF、Word 或文本后添加。",
    ),
    (
        "{name} is an XFA form, whose text only Adobe's program shows; print it to PDF.",
        "{name} 是 XFA 表单，其文字只有 Adobe 的程序才能显示；请打印为 PDF。",
    ),
    (
        "{name} cannot be read as PDF: {why:reason}; get the file again from where it came.",
        "无法按 PDF 读取 {name}：{why}；请重新获取该文件。",
    ),
    ("its structure is broken", "结构已损坏"),
    ("it has no pages", "没有页面"),
    ("none of its pages can be opened", "所有页面都无法打开"),
    (
        "{name} cannot be read as Word file: {why:reason}; open it in Word and save it again.",
        "无法按 Word 文件读取 {name}：{why}；请用 Word 打开并重新保存。",
    ),
    (
        "{name} cannot be read as Excel file: {why:reason}; open it in Excel and save it again.",
        "无法按 Excel 文件读取 {name}：{why}；请用 Excel 打开并重新保存。",
    ),
    (
        "{name} cannot be read as PowerPoint file: {why:reason}; open it in PowerPoint and save it again.",
        "无法按 PowerPoint 文件读取 {name}：{why}；请用 PowerPoint 打开并重新保存。",
    ),
    (
        "{name} cannot be read as notebook: {why:reason}; open it in Jupyter and save it again.",
        "无法按笔记本读取 {name}：{why}；请用 Jupyter 打开并重新保存。",
    ),
    ("it is no whole JSON text", "不是完整的 JSON 文本"),
    ("it has no cells", "没有单元格"),
    (
        "{name} holds only formulas that were never calculated; open it in Excel, show or calculate them, save it.",
        "{name} 只有从未计算过的公式；请用 Excel 打开、计算并保存。",
    ),
    (
        "{name} holds only hidden sheets; open it in Excel, show or calculate them, save it.",
        "{name} 只有隐藏的工作表；请用 Excel 打开、取消隐藏并保存。",
    ),
    (
        "{name} cannot be read as EPUB: {why:reason}; get the file again from where it came.",
        "无法按 EPUB 读取 {name}：{why}；请重新获取该文件。",
    ),
    (
        "{name} is protected against copying; it can only be read in its own program.",
        "{name} 受版权保护（DRM）；只能在其专用程序中阅读。",
    ),
    (
        "{name} is missing in the file; get the file again from where it came.",
        "文件中缺少 {name}；请重新获取该文件。",
    ),
    (
        "{name} cannot be read as LibreOffice file: {why:reason}; open it in LibreOffice and save it again.",
        "无法按 LibreOffice 文件读取 {name}：{why}；请用 LibreOffice 打开并重新保存。",
    ),
    (
        "{name} is an OpenDocument file of another kind (a formula, a chart, a database), which is not read; save it "
        "as PDF, and add that.",
        "{name} 是其他类型的 OpenDocument 文件（公式、图表或数据库），不支持读取；请另存为 PDF 后添加。",
    ),
    (
        "{name} is encrypted for its recipient; save it decrypted in the mail program.",
        "{name} 已为收件人加密；请在邮件程序中解密后另存。",
    ),
    ("it is not a whole ZIP archive", "不是完整的 ZIP 压缩包"),
    ("its part {part} is damaged", "其中的 {part} 已损坏"),
    ("its part {part} cannot be unpacked", "其中的 {part} 无法解压"),
    ("it has no document part", "缺少正文部分"),
    (
        "{name} cannot be read as {kind:reason} ({error}); open it in its own program and save it again.",
        "无法按{kind}读取 {name}（{error}）；请用原程序打开并重新保存。",
    ),
    (
        "{name} is too large to unpack ({parts:number} parts, {n:number} MB unpacked); "
        "split it or check where it is from.",
        "{name} 解压后过大（{parts} 个部分，解压后 {n} MB）；请拆分文件或检查其来源。",
    ),
    ("{name} needs more memory than there is; split it into parts.", "读取 {name} 所需的内存不足；请拆分文件。"),
    (
        "{name} needs more memory to read than is allowed; split it into parts.",
        "读取 {name} 所需的内存超过限制；请拆分文件。",
    ),
    (
        "{name} needed more memory than the machine has; split it into parts.",
        "读取 {name} 所需的内存超过本机内存；请拆分文件。",
    ),
    (
        "{name} took longer to read than {limit}; raise it or split the file.",
        "读取 {name} 的时间超过 {limit}；请调高该设置或拆分文件。",
    ),
    (
        "{name} made its reader crash ({why:reason}); open it in its own program and save it again.",
        "读取 {name} 时读取程序崩溃（{why}）；请用原程序打开并重新保存。",
    ),
    ("signal {n:number}", "信号 {n}"),
    ("exit code {n}", "退出码 {n}"),
    (
        "{name} needs the package {package}, which is not installed; run: pip install {same}.",
        "读取 {name} 需要尚未安装的软件包 {package}；请运行：pip install {same}。",
    ),
    (
        "{name} begins like {encoding} text but breaks its rules; save it again as UTF-8.",
        "{name} 开头像 {encoding} 文本，但不符合该编码；请另存为 UTF-8。",
    ),
    (
        "{name} holds binary data or an unknown encoding, not text; save it as UTF-8.",
        "{name} 是二进制数据或未知编码，不是文本；请另存为 UTF-8。",
    ),
    ("{name} holds no HTML that can be read; save the page again.", "{name} 中没有可读取的 HTML；请重新保存网页。"),
    # kinds of files
    ("plain text", "纯文本"),
    ("Word (.docx)", " Word（.docx）"),
    ("old Word (.doc)", "旧版 Word（.doc）"),
    ("Excel (.xlsx)", " Excel（.xlsx）"),
    ("old Excel (.xls)", "旧版 Excel（.xls）"),
    ("binary Excel (.xlsb)", "二进制 Excel（.xlsb）"),
    ("PowerPoint (.pptx)", " PowerPoint（.pptx）"),
    ("old PowerPoint (.ppt)", "旧版 PowerPoint（.ppt）"),
    ("an old Office file", "旧版 Office 文件"),
    ("an e-book (.epub)", "电子书（.epub）"),
    ("a ZIP archive", " ZIP 压缩包"),
    ("a picture", "图片"),
    ("a drawing (.svg)", "矢量图（.svg）"),
    ("sound or film", "音频或视频"),
    ("an archive", "压缩包"),
    ("a program", "程序"),
    ("a table (.csv)", "表格（.csv）"),
    ("an e-mail (.eml)", "电子邮件（.eml）"),
    ("a notebook (.ipynb)", "笔记本（.ipynb）"),
    ("binary data", "二进制数据"),
)
