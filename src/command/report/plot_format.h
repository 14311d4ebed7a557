// The files that gnuplot can make of a plot.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace transformeter {

enum class PlotFormat { kSvg, kPng, kPdf };

inline constexpr std::array kPlotFormats{PlotFormat::kSvg, PlotFormat::kPng, PlotFormat::kPdf};

/// "svg", "png", "pdf".
std::string_view name_of(PlotFormat format);

/// The format that the file name's ending names: ".svg", ".png", ".pdf"; nothing for any other.
std::optional<PlotFormat> plot_format_of(const std::string& file);

/// Whether `content` is a whole file of the format, not one that was cut off.
bool is_complete(PlotFormat format, std::string_view content);

/// The command that begins a file of `width` by `height` pixels with letters of `font` pixels: a PNG has twice as many
/// each way, a PDF is 96 to an inch. Texts are taken as they are.
std::string terminal_command(PlotFormat format, int width, int height, int font = 14);

}  // namespace transformeter
