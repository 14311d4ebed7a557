// gnuplot's terminals. Lines, marks and letters have the same size in all of them.
#include "report/plot_format.h"

#include <fmt/format.h>

#include <filesystem>

namespace transformeter {
namespace {

struct FormatFile {
  std::string_view name;
  std::string_view last;  // what a complete file ends with, but for blanks
};

FormatFile file_of(PlotFormat format) {
  switch (format) {
    case PlotFormat::kSvg:
      return {"svg", "</svg>"};
    case PlotFormat::kPng:
      return {"png", "IEND\xae\x42\x60\x82"};
    case PlotFormat::kPdf:
      return {"pdf", "%%EOF"};
  }
  return {};
}

}  // namespace

std::string_view name_of(PlotFormat format) {
  return file_of(format).name;
}

std::optional<PlotFormat> plot_format_of(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  for (const PlotFormat format : kPlotFormats) {
    if (ending == fmt::format(".{}", name_of(format))) return format;
  }
  return std::nullopt;
}

bool is_complete(PlotFormat format, std::string_view content) {
  const std::size_t end = content.find_last_not_of(" \r\n\t");
  return end != std::string_view::npos && content.substr(0, end + 1).ends_with(file_of(format).last);
}

std::string terminal_command(PlotFormat format, int width, int height, int font) {
  const std::string texts = fmt::format("noenhanced font 'sans-serif,{}'", font);
  switch (format) {
    case PlotFormat::kSvg:
      return fmt::format("set terminal svg size {},{} fixed {}\n", width, height, texts);
    case PlotFormat::kPng:
      return fmt::format(
          "set terminal pngcairo size {},{} {} fontscale 1.5 linewidth 2 pointscale 2 background rgb '#ffffff'\n",
          2 * width, 2 * height, texts);
    case PlotFormat::kPdf:
      return fmt::format(
          "set terminal pdfcairo size {}in,{}in {} fontscale 0.5625 linewidth 1.5 background rgb '#ffffff'\n",
          width / 96.0, height / 96.0, texts);
  }
  return "";
}

}  // namespace transformeter
