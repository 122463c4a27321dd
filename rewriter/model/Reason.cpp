//===-- Reason.cpp - the table of reasons ---------------------------------===//
//
// Part of bankstripe, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/Reason.h"
#include <cassert>

using namespace bankstripe;

namespace {

constexpr VerdictKind Slot = VerdictKind::Slot;
constexpr VerdictKind Unchanged = VerdictKind::Unchanged;
constexpr VerdictKind Unsupported = VerdictKind::Unsupported;

// One row per reason, in the order of the enumeration. The summaries complete
// the sentence "per-thread array 'a' ...: SUMMARY".
constexpr ReasonInfo Table[] = {
    {Reason::DynamicIndex, VerdictKind::Stripe, "dynamic-index",
     "its dynamic indices force it into local memory", ""},
    {Reason::ClassObject, Slot, "class-object",
     "it is an object of a class that holds an array",
     "declare the array itself in the function"},
    {Reason::ElementType, Slot, "element-type",
     "its elements are no scalars or structures that can stand apart",
     "use such an element type, or one array per member"},
    {Reason::TooManyDimensions, Slot, "too-many-dimensions",
     "it has more than five dimensions", "flatten it"},
    {Reason::QualifiedType, Slot, "qualified-type", "its type is volatile",
     "remove the qualifier"},
    {Reason::ArrayTypedef, Slot, "array-typedef",
     "its extents are hidden in a type alias",
     "write the extents in the declaration"},
    {Reason::PassedToFunction, Slot, "passed-to-function",
     "it is passed to a function by pointer",
     "use it by subscripts in the kernel"},
    {Reason::PointerTaken, Slot, "pointer-taken", "it is used as a pointer",
     "use it by subscripts only"},
    {Reason::ElementAddressEscapes, Slot, "element-address-escapes",
     "the address of an element goes where other elements could be reached "
     "from it",
     "use the address for that one element only"},
    {Reason::CapturedByLambda, Slot, "captured-by-lambda",
     "a lambda captures it", "use it outside lambdas only"},
    {Reason::RangeFor, Slot, "range-for", "a range-based for loop runs over it",
     "loop over an index"},
    {Reason::ReferenceBound, Slot, "reference-bound",
     "a reference is bound to the whole array", "use it by its own name"},
    {Reason::PartialSubscript, Slot, "partial-subscript",
     "a row of it is used as an array",
     "subscript every dimension at each use"},
    {Reason::IndexType, Slot, "index-type",
     "an index is not of integer type before conversions",
     "convert the index to an integer first"},
    {Reason::SizeOfArray, Slot, "sizeof",
     "sizeof looks at the array as a whole", "write the number of elements"},
    {Reason::SkippedCode, Slot, "skipped-code",
     "code that is not compiled names it",
     "remove the branch or the name from it"},
    {Reason::UnknownUse, Slot, "unknown-use",
     "it is used in a way that is not understood", "use it by subscripts only"},
    {Reason::DecidedSlot, Slot, "decided-slot",
     "it could be a stripe, and a slot was decided on",
     "change the decision in .bankstripe.yaml or --layout"},
    {Reason::PartOfWarp, Slot, "part-of-warp",
     "its blocks have fewer threads than a warp, and a stripe would take the "
     "bytes of all 32 lanes",
     "launch larger blocks, or decide for a stripe in .bankstripe.yaml"},
    {Reason::ByteElements, Slot, "byte-elements",
     "its elements are single bytes at indices that lanes share, and a slot "
     "needs no arithmetic to find those",
     "decide for a stripe in .bankstripe.yaml"},
    {Reason::DecidedSplit, VerdictKind::Split, "decided-split",
     "it was decided that its first elements move",
     "change the decision in .bankstripe.yaml or --layout"},
    {Reason::BoolElements, VerdictKind::Bits, "bool-elements",
     "its elements are bools, which fit into registers as single bits", ""},
    {Reason::BankConflicts, VerdictKind::Padded, "bank-conflicts",
     "lanes of a warp ask one bank for different words", ""},
    {Reason::ConstantTable, VerdictKind::Constant, "constant-table",
     "it is never written after its initialisation with constants, so all "
     "threads can share it",
     "declare it static const or __constant__ at file scope"},
    {Reason::StaysInRegisters, VerdictKind::Registers, "stays-in-registers",
     "the optimiser promotes it to registers", ""},
    {Reason::Nolint, Unchanged, "nolint",
     "a NOLINT(bankstripe) comment asks for it", "remove the comment"},
    {Reason::DecidedKeep, Unchanged, "decided-keep",
     "it was decided that nothing changes",
     "change the decision in .bankstripe.yaml or --layout"},
    {Reason::HasVersion, Unchanged, "has-version",
     "a version of its function, for blocks that fit, has it in shared memory",
     ""},
    {Reason::BlockSizeUnknown, Unchanged, "block-size-unknown",
     "no bound on the block size of its kernel is known at compile time",
     "add __launch_bounds__ to the kernel or give --block-size"},
    {Reason::BlockSizeConflict, Unchanged, "block-size-conflict",
     "a launch asks for a larger block than the bound",
     "correct __launch_bounds__, --block-size or the launch"},
    {Reason::LinkedCallees, Unchanged, "linked-callees",
     "launch bounds would limit the registers of functions in other files that "
     "its kernel calls, and the program might not link",
     "add __launch_bounds__ to the kernel, if the program links with it"},
    {Reason::OverBudget, Unchanged, "over-budget",
     "it does not fit into shared memory with what the kernel has and what is "
     "worth more",
     "use a smaller block, a smaller array or fewer arrays"},
    {Reason::NotProfitable, Unchanged, "not-profitable",
     "moving it is not predicted to pay",
     "measure it: give --min-speedup=0, or ask for it in .bankstripe.yaml"},
    {Reason::PollsMemory, Unchanged, "polls-memory",
     "its kernel waits in a loop, with plain loads, for what other threads "
     "write, which the L1 may hold back for longer without local memory",
     "make that memory volatile, load it atomically, or measure with "
     "'bankstripe tune'"},
    {Reason::DynamicSharedMemory, Unchanged, "dynamic-shared-memory",
     "its kernel uses dynamic shared memory of a size that is not known",
     "launch with a constant number of bytes"},
    {Reason::CooperativeLaunch, Unchanged, "cooperative-launch",
     "its kernel is launched cooperatively, and more shared memory could make "
     "its grid too large to be resident at once",
     "compute its grid from an occupancy query in the launching function"},
    {Reason::WaitsForBlocks, Unchanged, "waits-for-blocks",
     "its kernel waits in a loop for what other blocks write, and with more "
     "shared memory fewer blocks could be resident, so it might wait for ever",
     "compute its grid from an occupancy query in the launching function"},
    {Reason::OutOfBounds, Unchanged, "out-of-bounds",
     "an index lies outside the array; in shared memory that would hit another "
     "thread's data",
     "correct the index"},
    {Reason::StackFrameKept, Unchanged, "stack-frame-kept",
     "ptxas reports no smaller stack frame after the rewrite, or hardly", ""},
    {Reason::CompileFailed, Unchanged, "compile-failed",
     "nvcc does not accept the file after the rewrite, which is a defect of "
     "bankstripe",
     "please report it with the file"},
    {Reason::NoEvidence, Unchanged, "no-evidence",
     "the optimiser could not be asked whether it stays in registers",
     "look at the message with --verbose"},
    {Reason::NeverUsed, Unchanged, "never-used", "no code uses it", ""},
    {Reason::OutsidePaths, Unchanged, "outside-paths",
     "it stands in a file outside the given paths",
     "name that file or its folder on the command line"},
    {Reason::NoKernel, Unchanged, "no-kernel",
     "no kernel that was seen reaches its function",
     "name the files with the kernels on the command line too"},
    {Reason::NotInstantiated, Unchanged, "not-instantiated",
     "it is declared in a template, and no instantiation that was seen has it",
     "name the files that use the template on the command line too"},
    {Reason::UnseenCallee, Unchanged, "unseen-callee",
     "its function calls one that no given file defines, and that might enter "
     "it again",
     "name the file that defines it on the command line too"},
    {Reason::ConflictFree, Unchanged, "conflict-free",
     "the lanes of a warp ask each bank for one word", ""},
    {Reason::ConflictsStay, Unchanged, "conflicts-stay",
     "lanes of a warp ask one bank for different words, and longer rows change "
     "little of it",
     "let neighbouring lanes use neighbouring elements"},
    {Reason::LeavesRow, Unchanged, "leaves-row",
     "an index may lead out of its row, and would find another element there",
     "subscript each dimension within its extent, at every thread"},
    {Reason::OneDimensional, Unchanged, "one-dimensional",
     "lanes of a warp ask one bank for different words, and it has no rows "
     "that "
     "could be longer",
     "give it a dimension for the rows, or make the factor in its indices odd"},
    {Reason::BanksUnknown, Unchanged, "banks-unknown",
     "it is not known which elements the lanes of a warp ask for",
     "compute indices from threadIdx, and write the block size as a constant"},
    {Reason::InLambda, Unsupported, "in-lambda",
     "it is declared in the body of a lambda or of a class inside a function",
     "declare it in the kernel's own body"},
    {Reason::RecursiveFunction, Unsupported, "recursive-function",
     "its function may be entered again before it returns, and static storage "
     "exists once",
     "turn the recursion into a loop"},
    {Reason::ConstexprFunction, Unsupported, "constexpr-function",
     "its function is constexpr and cannot hold __shared__ storage",
     "remove constexpr"},
    {Reason::ClassLifetime, Unsupported, "class-lifetime",
     "its class is destroyed or copied by code of its own",
     "give the class a trivial destructor"},
    {Reason::ConstElements, Unsupported, "const-elements",
     "its elements are const, and would get their values at run time",
     "remove the const"},
    {Reason::OverAligned, Unsupported, "over-aligned",
     "its declaration carries an attribute such as alignas",
     "remove the attribute"},
    {Reason::Decltype, Unsupported, "decltype",
     "decltype or a constant expression looks at it, and would see a "
     "reference afterwards",
     "write the type, or the number of its elements"},
    {Reason::DeclarationInMacro, Unsupported, "declaration-in-macro",
     "its declaration comes from a macro",
     "write the declaration without the macro"},
    {Reason::DeclarationPlace, Unsupported, "declaration-place",
     "where it is declared there is no room for what would be added",
     "declare it on a line of its own between braces, in a file that is not "
     "included inside others' braces"},
    {Reason::DeclaratorShape, Unsupported, "declarator-shape",
     "its declarator is more than a name and extents",
     "simplify the declaration with an alias for the element type"},
    {Reason::HiddenName, Unsupported, "hidden-name",
     "a name in its declaration means something else behind it",
     "give what it declares another name"},
    {Reason::KernelInMacro, Unsupported, "kernel-in-macro",
     "a macro declares its kernel, so that launch bounds cannot be added",
     "add __launch_bounds__ to the kernel by hand"},
    {Reason::Goto, Unsupported, "goto",
     "its function holds a goto, which may jump over the declaration",
     "write the jump as a loop or a function"},
    {Reason::InlineAssembly, Unsupported, "inline-assembly",
     "inline assembly gets its address and may expect local memory",
     "pass single elements to the assembly"},
    {Reason::Initializer, Unsupported, "initializer",
     "its initialiser cannot become a statement of its own",
     "assign the elements after the declaration"},
    {Reason::TranslationUnitsDiffer, Unsupported, "translation-units-differ",
     "two translation units or two instantiations see it differently",
     "make its declaration and uses the same for every includer"},
};

} // namespace

llvm::ArrayRef<ReasonInfo> bankstripe::allReasons() { return Table; }

const ReasonInfo &bankstripe::infoOf(Reason R) {
  const ReasonInfo &Row = Table[static_cast<unsigned>(R)];
  assert(Row.R == R && "the table follows the enumeration");
  return Row;
}
