// Tables of a document as HTML, and figures in them that a program can read back.
#pragma once

#include <string>
#include <vector>

#include "report/document.h"
#include "report/medium.h"

namespace transformeter {

/// In a container that scrolls by itself, so that a page on a phone does not; empty without rows or notes. On paper
/// with the widths of paper_columns.h.
std::string table_html(const Table& table, Medium medium);

/// What stands in a cell. A figure is a <data> element with its value in full precision:
/// <data value="0.0261" data-case="c01" data-metric="latency" data-statistic="median" data-part="value">26.1 ms</data>;
/// the text is figure_text (metric_text.h) of the value. Its interval stands below it, where it has one whose ends read
/// differently. On paper it is text alone.
std::string cell_html(const Cell& cell, Medium medium);

/// Side by side, with their colours; the words say the same.
std::string chips_html(const std::vector<Chip>& chips);

}  // namespace transformeter
