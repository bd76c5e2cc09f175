//! The negative of the smallest 16-bit number, which NVIDIA's assembler gets wrong.
//!
//! The negative of -32768 is -32768 in 16 bits, and so is its absolute value. But where such a result is widened, compared or shifted
//! afterwards, the assembler takes it for 32768: it computes in 32 bits, and drops the step that would cut the result. Seen with ptxas
//! 13.0.88 and the driver 580.159 on an H200, for `neg.s16`, `abs.s16` and `sub.s16` from 0. `not` and `add` give the right bits there.
//! (`toolkit/tests/tests/arithmetic_gpu.rs` compares all arithmetic with that of CPU cores.)

/// The module with these instructions written in another way.
pub fn spelled_out(module: &str) -> String {
    module.split_inclusive('\n').map(|line| replacement(line).unwrap_or_else(|| line.to_owned())).collect()
}

/// The lines instead of `line`, if it has such an instruction.
fn replacement(line: &str) -> Option<String> {
    let statement = line.trim().strip_suffix(';')?;
    let (guard, instruction) = match statement.strip_prefix('@') {
        Some(_) => statement.split_once(char::is_whitespace)?,
        None => ("", statement),
    };
    let (name, operands) = instruction.trim_start().split_once(char::is_whitespace)?;
    let operands: Vec<_> = operands.split(',').map(str::trim).collect();
    let (to, from) = match (name, &operands[..]) {
        ("neg.s16" | "abs.s16", [to, from]) => (to, from),
        ("sub.s16", [to, "0", from]) => (to, from),
        _ => return None,
    };
    let write = |instruction: &str| format!("\t{guard}{}{instruction};\n", if guard.is_empty() { "" } else { " " });
    Some(if name == "abs.s16" {
        let negative = write("not.b16 \t%negative, %operand") + &write("add.s16 \t%negative, %negative, 1");
        let operand = write(&format!("mov.b16 \t%operand, {from}"));
        let most = write(&format!("max.s16 \t{to}, %operand, %negative"));
        format!("\t{{\n\t.reg .b16 \t%operand, %negative;\n{operand}{negative}{most}\t}}\n")
    } else {
        write(&format!("not.b16 \t{to}, {from}")) + &write(&format!("add.s16 \t{to}, {to}, 1"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negatives_are_spelled_out() {
        let module = "\tneg.s16 \t%rs2, %rs1;\n\t@%p1 sub.s16 \t%rs3, 0, %rs2;\n";
        let expected = "\tnot.b16 \t%rs2, %rs1;\n\tadd.s16 \t%rs2, %rs2, 1;\n\
                        \t@%p1 not.b16 \t%rs3, %rs2;\n\t@%p1 add.s16 \t%rs3, %rs3, 1;\n";
        assert_eq!(spelled_out(module), expected);
    }

    #[test]
    fn an_absolute_value_is_the_larger_of_both() {
        let expected = "\t{\n\t.reg .b16 \t%operand, %negative;\n\tmov.b16 \t%operand, %rs1;\n\tnot.b16 \t%negative, %operand;\n\
                        \tadd.s16 \t%negative, %negative, 1;\n\tmax.s16 \t%rs1, %operand, %negative;\n\t}\n";
        assert_eq!(spelled_out("\tabs.s16 \t%rs1, %rs1;\n"), expected);
    }

    #[test]
    fn other_lines_stay() {
        let module = "// neg.s16 a;\n\tneg.s32 \t%r2, %r1;\n\tsub.s16 \t%rs3, %rs1, %rs2;\n\tsub.s16 \t%rs3, %rs1, 0;\n\tnegs;\n";
        assert_eq!(spelled_out(module), module);
    }
}
