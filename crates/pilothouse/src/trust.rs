//! `trust`: what a folder brings, shown before it is answered. Wires arguments to the runtime.

use std::io::Write;

use pilothouse_core::{
    blob::BlobId,
    clean::Clean,
    trust::{Trust, TrustRequest},
};
use pilothouse_runtime::trust::{Folder, Survey};

use crate::{
    alone::home,
    cli::TrustArgs,
    exit::{FAILED, Failure, USAGE},
    out,
    workbench::explain,
};

/// Shows what the folder brings, and keeps or takes back trust in it.
///
/// # Errors
/// When there is no such folder, or the decision cannot be kept.
pub fn trust(args: TrustArgs) -> Result<u8, Failure> {
    let (home, _) = home()?;
    let root = args.dir.canonicalize().ok().filter(|p| p.is_dir()).ok_or_else(|| {
        Failure::new(USAGE, format!("{} is not a folder; give an existing one", args.dir.display()))
    })?;
    let mut folder = Folder { asks: true, ..Folder::at(&home, &root) };
    let mut out = out::out(false);
    if args.revoke {
        folder.carry_out(TrustRequest::Revoke).map_err(explain)?;
        writeln!(out, "{} is not trusted", root.display())?;
        return Ok(0);
    }
    let Survey { standing, .. } = folder.look();
    if let Some(hash) = args.hash {
        let wanted: BlobId = hash.parse().map_err(|_| {
            Failure::new(USAGE, "that is not a hash; `pilothouse trust --show` prints this folder's")
        })?;
        return keep(&mut folder, wanted, &mut out);
    }
    write!(out, "{}", Clean::text(&standing.sheet).as_str())?;
    let state = if standing.trust == Trust::Kept { "trusted" } else { "not trusted" };
    writeln!(out, "{}: {state}", root.display())?;
    writeln!(out, "hash {}", standing.of)?;
    if args.show || standing.trust == Trust::Kept {
        return Ok(0);
    }
    let unasked = "nobody is there to answer; `--hash HASH` trusts what was shown";
    if out::agrees(&mut out, "Trust it until it changes?", unasked)? {
        return keep(&mut folder, standing.of, &mut out);
    }
    writeln!(out, "It stays inactive.")?;
    Ok(0)
}

fn keep(folder: &mut Folder, of: BlobId, out: &mut impl Write) -> Result<u8, Failure> {
    let after = folder.carry_out(TrustRequest::Keep(of)).map_err(explain)?.standing;
    if after.trust == Trust::Kept && after.of == of {
        writeln!(out, "{} is trusted until what it brings changes", folder.root.display())?;
        return Ok(0);
    }
    Err(Failure::new(FAILED, "what the folder brings does not match this hash; look at it again"))
}
