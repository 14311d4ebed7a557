// The --plot option of commands that answer in words, and draw a picture too.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "cli/declaration.h"
#include "plots/picture.h"

namespace transformeter {

class PlotOutput {
 public:
  /// Points into this object; `what` is drawn: "costs against accuracy and compute".
  OptionDeclaration option(const std::string& what);

  /// Before what takes long; `output` is the answer's file, or empty. Throws Error(kBadInput) for a file that is no
  /// plot, is that file or part of the store, or cannot be written, and Error(kEnvironment) without gnuplot.
  void check(const std::string& store, const std::string& output) const;

  /// Draws what `picture` gives, where a file was asked for. Throws Error(kInterrupted) as check_interrupt.
  void draw(const std::function<Picture()>& picture, const std::atomic<bool>& interrupt) const;

 private:
  std::string file_;
};

}  // namespace transformeter
