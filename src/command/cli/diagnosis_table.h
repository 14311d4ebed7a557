// Findings of `doctor` for the terminal.
#pragma once

#include <string>

#include "doctor/diagnosis.h"

namespace transformeter {

/// A line for each, and for those that are not ok why it matters and what to do, below it; fitted to the terminal on
/// stdout.
std::string diagnosis_table(const Diagnoses& diagnoses);

/// "21 ok, 4 limited, 0 problems: measuring is possible."
std::string diagnosis_summary(const Diagnoses& findings, const Diagnoses& tests);

}  // namespace transformeter
